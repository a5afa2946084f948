// The face of @outrigger/serving: what other packages and other people may use. Everything else is internal.
export { type AdmitDependencies, type AdmitRequest, type AdmitResponse, admit } from "./admission/admit.ts";
export { MAX_BODY_BYTES } from "./admission/body.ts";
export { parseTimeout } from "./admission/deadline.ts";
export { outcomeOf } from "./admission/outcome.ts";
export { parsePathParameters } from "./admission/path-parameters.ts";
export { decodeReview } from "./admission/review.ts";
export { parseRoute } from "./admission/route.ts";
export { type Shortcoming, shortcomingOf, syntheticReview } from "./admission/synthetic-review.ts";
export { type AdmissionMetricsOptions, admissionMetricsText } from "./observe/admission-metrics.ts";
export { describeError } from "./observe/describe-error.ts";
export type { MetricName } from "./observe/embedded-metrics.ts";
export { type AdmissionLogOptions, type AdmissionRecord, logAdmission } from "./observe/log.ts";
export { type MetricLine, metricLine } from "./observe/metric-line.ts";
export type { LoadedRelease } from "./services/channel-releases.ts";
export { clusterSettings } from "./services/cluster-settings.ts";
export { type FixedServiceOptions, fixedService } from "./services/fixed-service.ts";
export { serveStore } from "./services/serve-store.ts";
export type { FindService } from "./services/service.ts";
export { findCaller, tokenDigest } from "./services/token.ts";
export { type Clock, systemClock } from "./snapshot/clock.ts";
export {
  type ClusterRecord,
  MAX_TOKENS,
  parseClusterRecord,
  recordDigest,
  type TokenRecord,
} from "./snapshot/cluster-record.ts";
export { parseHead, parseSnapshot } from "./snapshot/parse-snapshot.ts";
export { readSnapshot } from "./snapshot/read-snapshot.ts";
export { releaseDigest } from "./snapshot/release-digest.ts";
export { type Head, SNAPSHOT_FORMAT, type Snapshot } from "./snapshot/snapshot.ts";
export { isInShare, type Share, workloadOf } from "./snapshot/workload-share.ts";
