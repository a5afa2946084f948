// The face of @outrigger/injector: what other packages and other people may use. Everything else is internal.
export { podWarnings } from "./check/pod-warnings.ts";
export { containerNames } from "./data-plane.ts";
export { decide, systemNamespaces } from "./decide/decide.ts";
export { DECISION_ROWS, OTHER_REASONS } from "./decide/decision-rows.ts";
export { explainDefaults } from "./decide/explain-defaults.ts";
export { templatesFor } from "./decide/templates-for.ts";
export { decodePod } from "./decode-pod.ts";
export { type EffectGroup, effectGroups } from "./effect/effect-groups.ts";
export { type PodChange, podChanges } from "./effect/pod-changes.ts";
export { effectBetween, type FieldChange, type NextPod, type PodEffect, podEffect } from "./effect/pod-effect.ts";
export { withoutNames } from "./effect/without-names.ts";
export { injectPod } from "./inject-pod.ts";
export type { Injector, InjectRequest, InjectResult } from "./injection.ts";
export { injectManifest, uninjectManifest } from "./manifest/inject-manifest.ts";
export { uninjectPod } from "./manifest/uninject-pod.ts";
export { traceInjection } from "./provenance/trace-injection.ts";
export { compileRelease } from "./release/compile-release.ts";
export { isWithoutMesh } from "./release/istio-layers.ts";
export { lintSource } from "./release/lint-source.ts";
export { isKnownFormat, loadRelease, RELEASE_FORMAT, type Release } from "./release/load-release.ts";
export { configSchema } from "./release/read/config-schema.ts";
export { ISTIO_CONFIG_KEYS, publishChannel } from "./release/read/parse-config.ts";
export { joinedDefaults } from "./release/read/parse-default-templates.ts";
export { admittedRequest } from "./release/samples/admitted-request.ts";
export {
  branchCoverage,
  templateBranches,
  writtenBranches,
  writtenTemplates,
} from "./release/samples/branch-coverage.ts";
export { writtenOverAuthor } from "./release/samples/check-written-over.ts";
export { matchingPods } from "./release/samples/matching-pods.ts";
export { injectorOf, type Outcome, outcomeOf } from "./release/samples/outcome-of.ts";
export { injectedText, manifestPods, type NamedPod, samplePods } from "./release/samples/sample-pods.ts";
export { type BranchesTaken, branchReader } from "./release/samples/taken-branches.ts";
export { checkSourcePath, type SourceTree } from "./release/source-tree.ts";
export { storedOrOwn, storedText } from "./release/stored/stored-text.ts";
export { fromStored, toStored } from "./release/stored/tag-translation.ts";
export { errorFinding, sortFindings, type TreeFinding } from "./release/tree-finding.ts";
export { traceValues } from "./release/values/trace-values.ts";
export { valuesSchema } from "./release/values/values-rules.ts";
export { differingWrites } from "./release/writes/differing-writes.ts";
export { inputReader, readsImages } from "./release/writes/input-reader.ts";
export type { ReleaseWrite } from "./release/writes/release-writes.ts";
export { rememberInjections } from "./remember/remember-injections.ts";
export { describeDoc, describeHelpers } from "./render/describe-helpers.ts";
export { madeByNote } from "./steps/injection-record.ts";
export { readStatus } from "./undo/injection-status.ts";
export { workloadOf } from "./workload-of.ts";
