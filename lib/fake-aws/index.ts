// The face of @outrigger/fake-aws: what other packages and other people may use. Everything else is internal.
export {
  type FakeObjectOptions,
  type FakeObjectStore,
  fakeObjectStore,
  type ObjectFault,
} from "./fake-object-store.ts";
export { type FakeParameterStore, fakeParameterStore } from "./fake-parameter-store.ts";
export { type Call, createFakeService, type FakeServiceOptions, type Fault, type Reply } from "./fake-service.ts";
export { type FakeServer, type FakeServerOptions, startFakeServer } from "./http-server.ts";
export type { ParameterTable } from "./parameter-table.ts";
export { seededRandom } from "./seeded-random.ts";
