// The face of @outrigger/injector: what other packages and other people may use. Everything else is internal.
export { type Decision, decide, systemNamespaces } from "./decide/decide.ts";
export { DECISION_ROWS, type DecisionRow } from "./decide/decision-rows.ts";
export { misspeltKeys } from "./decide/misspelt-keys.ts";
export { validateAnnotations } from "./decide/validate-annotations.ts";
export { decodePod } from "./decode-pod.ts";
export { injectPod } from "./inject-pod.ts";
export type {
  ClusterSettings,
  InjectAnswer,
  InjectionConfig,
  Injector,
  InjectRequest,
  InjectResult,
  SkipReason,
} from "./injector.ts";
export { annotationKeys, containerNames, labelKeys } from "./keys.ts";
export type { EditedManifest } from "./manifest/edit-manifest.ts";
export { injectManifest } from "./manifest/inject-manifest.ts";
export { uninjectManifest } from "./manifest/uninject-manifest.ts";
export { documentsOfPods } from "./manifest/workloads.ts";
export { type Owner, ownerOf } from "./owner.ts";
export { tracedLines } from "./provenance/line-origins.ts";
export type { Origin, Origins } from "./provenance/origin.ts";
export type { StepName } from "./provenance/step-names.ts";
export { type TracedInjector, traceInjection } from "./provenance/trace-injection.ts";
export { type CompiledTree, compileRelease, compileTree } from "./release/compile-release.ts";
export { tagOfRelease, withIstioRelease } from "./release/istio-layers.ts";
export { lintTree } from "./release/lint-tree.ts";
export { loadRelease } from "./release/load-release.ts";
export { ISTIO_CONFIG_KEYS, parseConfig } from "./release/read/parse-config.ts";
export { RELEASE_FORMAT, type Release } from "./release/release.ts";
export { type BranchCoverage, branchCoverage } from "./release/samples/branch-coverage.ts";
export { injectedText, manifestPods, type NamedPod, noPod, samplePods } from "./release/samples/sample-pods.ts";
export { checkSourcePath, folderEntries, type SourceTree } from "./release/source-tree.ts";
export { errorFinding, sortFindings, type TreeFinding, treePath } from "./release/tree-finding.ts";
export { VALUE_RULES } from "./release/values/values-rules.ts";
export { valuesSchema } from "./release/values/values-schema.ts";
export { type Inject, rememberInjections } from "./remember/remember-injections.ts";
export { HELPER_ARGUMENTS, type HelperArgument, helperSignature } from "./render/helper-arguments.ts";
export { HELPER_DOCS } from "./render/helper-docs.ts";
export { namespaceOf } from "./render/template-data.ts";
export { injectionHelpers } from "./render/template-helpers.ts";
export { readUserVolumeMounts, readUserVolumes } from "./render/user-volumes.ts";
export { readStatus } from "./undo/injection-status.ts";
