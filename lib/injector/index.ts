// The face of @outrigger/injector: what other packages and other people may use. Everything else is internal.
export { podWarnings } from "./check/author-mistakes.ts";
export { decide, systemNamespaces } from "./decide/decide.ts";
export { DECISION_ROWS } from "./decide/decision-rows.ts";

export { decodePod, ownerOf } from "./decode-pod.ts";
export { injectPod } from "./inject-pod.ts";
export type { Injector, InjectRequest, InjectResult } from "./injection.ts";
export { annotationKeys, containerNames, labelKeys } from "./keys.ts";
export { injectManifest, uninjectManifest } from "./manifest/inject-manifest.ts";
export { traceInjection } from "./provenance/trace-injection.ts";
export { compileRelease, lintTree } from "./release/compile-release.ts";
export { loadRelease, RELEASE_FORMAT, type Release } from "./release/load-release.ts";
export { ISTIO_CONFIG_KEYS, publishChannel } from "./release/read/parse-config.ts";
export { admittedRequest } from "./release/samples/admitted-request.ts";
export { branchCoverage, templateBranches, writtenTemplates } from "./release/samples/branch-coverage.ts";
export { injectedText, manifestPods, type NamedPod, samplePods } from "./release/samples/sample-pods.ts";
export {
  checkSourcePath,
  errorFinding,
  type SourceTree,
  sortFindings,
  type TreeFinding,
} from "./release/source-tree.ts";
export { traceValues } from "./release/values/trace-values.ts";
export { valuesSchema } from "./release/values/values-rules.ts";
export { rememberInjections } from "./remember/remember-injections.ts";
export { describeHelpers } from "./render/describe-helpers.ts";
export { madeByNote } from "./steps/injection-record.ts";
export { readStatus } from "./undo/injection-status.ts";
