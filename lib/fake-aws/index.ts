// The face of @outrigger/fake-aws: what other packages and other people may use. Everything else is internal.
export { type FakeApiServer, startFakeApiServer } from "./cluster/api/api-server.ts";
export { defaultedPod } from "./cluster/api/pod-defaults.ts";
export { type Fate, runningContainers } from "./cluster/controllers/pod-status.ts";
export { type ControllerOptions, workloadControllers } from "./cluster/controllers/workload-controllers.ts";
export { type FakeAccess, kubeconfigOf, putWorkload, startFakeCluster } from "./cluster/fake-cluster.ts";
export {
  type FakeObjectOptions,
  type FakeObjectStore,
  fakeObjectStore,
  inBucket,
  type ObjectFault,
  type ObjectTable,
} from "./fake-object-store.ts";
export { type FakeServer, startFakeServer } from "./http/http-server.ts";
export { refuseOperation } from "./http/refuse-operation.ts";
export { answerService, type FakeServices, fakeServices, putDeployment } from "./http/services.ts";
export { signedFor } from "./http/signed-for.ts";
export { type FakeParameterStore, fakeParameterStore } from "./parameters/fake-parameter-store.ts";
export {
  type Call,
  createFakeService,
  type FakeServiceOptions,
  type Fault,
  type Reply,
} from "./parameters/fake-service.ts";
export { seededRandom } from "./parameters/pages.ts";
export type { ParameterTable } from "./parameters/parameter-table.ts";
