// The face of the command line: a run of the tool inside another process, and the servers that it starts.
export type { ConnectAws } from "./connect/aws-connection.ts";
export { connectLazily } from "./connect/connect-lazily.ts";
export { openDeployment } from "./connect/deployment.ts";
export { createProgram, main } from "./main.ts";
export { type Certificate, makeCertificate } from "./server/certificate.ts";
export { startFakeDeployment } from "./server/fake-deployment.ts";
export { studioCluster } from "./studio/cluster-workloads.ts";
export { deploymentWorkspace } from "./studio/deployment-workspace.ts";
export { draftsIn } from "./studio/kept-drafts.ts";
export { pageCommand } from "./studio/page-command.ts";
export { readPage, startStudio } from "./studio/studio-server.ts";
export { directoryWorkspace } from "./studio/studio-workspace.ts";
export { EXIT_CODES, exitCodeOf } from "./terminal/exit-code.ts";
export type { Io } from "./terminal/io.ts";
export { sourceFile } from "./tree/source-files.ts";
