// The face of @outrigger/injector: what other packages and other people may use. Everything else is internal.
export { type Decision, decide, systemNamespaces } from "./inject/decide.ts";
export { DECISION_ROWS, type DecisionRow } from "./inject/decision-rows.ts";
export { decodePod } from "./inject/decode-pod.ts";
export type { EditedManifest } from "./inject/edit-manifest.ts";
export { HELPER_ARGUMENTS, type HelperArgument, helperSignature } from "./inject/helper-arguments.ts";
export { HELPER_DOCS } from "./inject/helper-docs.ts";
export { injectManifest } from "./inject/inject-manifest.ts";
export { injectPod } from "./inject/inject-pod.ts";
export type {
  ClusterSettings,
  InjectAnswer,
  InjectionConfig,
  Injector,
  InjectRequest,
  InjectResult,
  SkipReason,
} from "./inject/injector.ts";
export { annotationKeys, containerNames, labelKeys } from "./inject/keys.ts";
export { misspeltKeys } from "./inject/misspelt-keys.ts";
export { type Owner, ownerOf } from "./inject/owner.ts";
export { tracedLines } from "./inject/provenance/line-origins.ts";
export type { Origin, Origins } from "./inject/provenance/origin.ts";
export type { StepName } from "./inject/provenance/step-names.ts";
export { type TracedInjector, traceInjection } from "./inject/provenance/trace-injection.ts";
export { type Inject, rememberInjections } from "./inject/remember-injections.ts";
export { namespaceOf } from "./inject/template-data.ts";
export { injectionHelpers } from "./inject/template-helpers.ts";
export { readStatus } from "./inject/undo/injection-status.ts";
export { uninjectManifest } from "./inject/uninject-manifest.ts";
export { readUserVolumeMounts, readUserVolumes } from "./inject/user-volumes.ts";
export { validateAnnotations } from "./inject/validate-annotations.ts";
export { documentsOfPods } from "./inject/workloads.ts";
export { describeSkew, type Skew } from "./mesh/describe-skew.ts";
export { parseDuration } from "./mesh/duration.ts";
export { ISTIO_RELEASES, type IstioRelease, isIstioRelease } from "./mesh/istio-release.ts";
export { defaultMeshConfig, type MeshConfig, readMeshConfig } from "./mesh/mesh-config.ts";
export { meshSchema } from "./mesh/mesh-schema.ts";
export { fieldsOf, type ProtoField, type ProtoSchema } from "./mesh/proto-schema.ts";
export { defaultProxyConfig, mergeProxyConfigText } from "./mesh/proxy-config.ts";
export { proxySchema } from "./mesh/proxy-schema.ts";
export { taggedMinor } from "./mesh/tagged-release.ts";
export { type BranchCoverage, branchCoverage } from "./release/branch-coverage.ts";
export { type CompiledTree, compileRelease, compileTree } from "./release/compile-release.ts";
export { tagOfRelease, withIstioRelease } from "./release/istio-layers.ts";
export { lintTree } from "./release/lint-tree.ts";
export { loadRelease } from "./release/load-release.ts";
export { ISTIO_CONFIG_KEYS, parseConfig } from "./release/parse-config.ts";
export { RELEASE_FORMAT, type Release } from "./release/release.ts";
export { injectedText, manifestPods, type NamedPod, noPod, samplePods } from "./release/sample-pods.ts";
export { checkSourcePath, folderEntries, type SourceTree } from "./release/source-tree.ts";
export { errorFinding, sortFindings, type TreeFinding, treePath } from "./release/tree-finding.ts";
export { VALUE_RULES } from "./release/values-rules.ts";
export { valuesSchema } from "./release/values-schema.ts";
