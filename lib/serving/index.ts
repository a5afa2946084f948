// The face of @outrigger/serving: what other packages and other people may use. Everything else is internal.
export { type AdmitDependencies, type AdmitRequest, type AdmitResponse, admit } from "./admission/admit.ts";
export { MAX_BODY_BYTES } from "./admission/body.ts";
export { parseTimeout } from "./admission/deadline.ts";
export { outcomeOf } from "./admission/outcome.ts";
export { parsePathParameters } from "./admission/path-parameters.ts";
export { decodeReview } from "./admission/review.ts";
export { parseRoute } from "./admission/route.ts";
export type { FindService } from "./admission/service.ts";
export { type Shortcoming, shortcomingOf, syntheticReview } from "./admission/synthetic-review.ts";
export { findCaller, tokenDigest } from "./admission/token.ts";
export { type AdmissionMetricsOptions, admissionMetricsText } from "./observe/admission-metrics.ts";
export { describeError } from "./observe/describe-error.ts";
export type { MetricName } from "./observe/embedded-metrics.ts";
export { type AdmissionLogOptions, type AdmissionRecord, logAdmission } from "./observe/log.ts";
export { type MetricLine, metricLine } from "./observe/metric-line.ts";
export type { LoadedRelease } from "./serve/channel-releases.ts";
export { type Clock, systemClock } from "./serve/clock.ts";
export {
  type ClusterRecord,
  MAX_TOKENS,
  parseClusterRecord,
  recordDigest,
  type TokenRecord,
} from "./serve/cluster-record.ts";
export { clusterSettings } from "./serve/cluster-settings.ts";
export { type FixedServiceOptions, fixedService } from "./serve/fixed-service.ts";
export { parseHead, parseSnapshot } from "./serve/parse-snapshot.ts";
export { readSnapshot } from "./serve/read-snapshot.ts";
export { releaseDigest } from "./serve/release-digest.ts";
export { serveStore } from "./serve/serve-store.ts";
export { type Head, SNAPSHOT_FORMAT, type Snapshot } from "./serve/snapshot.ts";
export { isInShare, type Share, workloadOf } from "./serve/workload-share.ts";
