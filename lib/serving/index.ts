// The face of @outrigger/serving: what other packages and other people may use. Everything else is internal.

// one request → its answer
export { type AdmitRequest, admit } from "./admission/admit.ts";
export { MAX_BODY_BYTES } from "./admission/body.ts";
export { outcomeOf } from "./admission/outcome.ts";
export { parsePathParameters } from "./admission/path-parameters.ts";
export { type Shortcoming, syntheticReview, UNKNOWN_TEMPLATE } from "./admission/synthetic-review.ts";
export type { AdmissionRecord } from "./observe/admission-record.ts";
// what is written about it
export { describeError, logAdmission } from "./observe/log.ts";
export { metricLine } from "./observe/metric-line.ts";
// who is served what
export { clusterSettings, serveStore } from "./services/cluster-service.ts";
export { type FindService, fixedService } from "./services/service.ts";
export { isSameSecret } from "./services/token.ts";
// what is stored to be served
export {
  type ClusterRecord,
  MAX_TOKENS,
  parseClusterRecord,
  readClusterRecord,
  recordDigest,
} from "./snapshot/cluster-record.ts";
export { readSnapshot } from "./snapshot/read-snapshot.ts";
export {
  type Head,
  parseHead,
  parseSnapshot,
  releaseDigest,
  SNAPSHOT_FORMAT,
  type Snapshot,
  snapshotText,
} from "./snapshot/snapshot.ts";
export { isInShare, isPodInShare, type Share } from "./snapshot/workload-share.ts";
