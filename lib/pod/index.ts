// The face of @outrigger/pod: what other packages and other people may use. Everything else is internal.
export { containersOf } from "./containers-of.ts";
export { alignItems } from "./diff/align-items.ts";
export {
  type Difference,
  type DifferenceStep,
  diffObjects,
  formatDifferencePath,
} from "./diff/diff-objects.ts";
export { formatFieldPath, parseFieldPath } from "./field-path.ts";
export type {
  Container,
  ObjectMeta,
  Pod,
  PodSpec,
  Probe,
  Volume,
} from "./generated/pod-types.ts";
export { isRunning } from "./is-running.ts";
export { isEmptySelector, type LabelSelector, matchesLabelSelector, parseLabelSelector } from "./label-selector.ts";
export { strategicMerge } from "./merge/strategic-merge.ts";
export { type Metadata, metadataOf } from "./metadata-of.ts";
export { nameProblem } from "./names.ts";
export { oncePerReplicas } from "./once-per-replicas.ts";
export { applyPatch } from "./patch/apply-patch.ts";
export { createPatch } from "./patch/create-patch.ts";
export { EMPTY_PATCH, formatPatch } from "./patch/format-patch.ts";
export { isPatchOperation, type PatchOperation } from "./patch/patch-operation.ts";
export { quantityThousandths } from "./quantity/compare-quantities.ts";
export { isQuantity } from "./quantity/read-quantity.ts";
export { checkPod, isScalar } from "./schema/check-pod.ts";
export { omitEmpty } from "./schema/omit-empty.ts";
export { POD_TYPE, type TypeSchema } from "./schema/schema.ts";
export { isStoredForm, keepStoredForm } from "./schema/stored-form.ts";
export { MAX_ANNOTATION_BYTES } from "./validate/metadata/metadata.ts";
export { validateChange } from "./validate/validate-change.ts";
export { type PodViolation, validatePod, violationKey } from "./validate/validate-pod.ts";
export { type WorkloadKind, workloadKinds } from "./workload-kinds.ts";
