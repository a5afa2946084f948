// The face of @outrigger/rollouts: what other packages and other people may use. Everything else is internal.
export { type JudgePorts, judgePod, POD_STATES } from "./compare/judge-pod.ts";
export { type ServedCluster, servedNow } from "./compare/served-now.ts";
export { isOutdated, type RunningReport, readRunning } from "./running.ts";
