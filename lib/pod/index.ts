// The face of @outrigger/pod: what other packages and other people may use. Everything else is internal.
export { admittedForm } from "./admitted/admitted-form.ts";
export { authoredForm } from "./admitted/authored-form.ts";
export { podAmounts } from "./admitted/pod-resources.ts";
export { alignItems } from "./diff/align-items.ts";
export type { Difference, DifferenceStep } from "./diff/diff-objects.ts";
export { diffObjects, formatDifferencePath } from "./diff/diff-objects.ts";
export { formatFieldPath, parseFieldPath } from "./field-path.ts";
export type { Container, ObjectMeta, Pod, PodSpec, Probe, Volume } from "./generated/pod-types.ts";
export {
  isEmptySelector,
  type LabelSelector,
  matchesLabelSelector,
  parseLabel,
  parseLabelSelector,
} from "./label-selector.ts";
export { strategicMerge } from "./merge/strategic-merge.ts";
export { labelKeyProblem, nameProblem } from "./names.ts";
export { oncePerReplicas } from "./once-per-replicas.ts";
export { applyPatch } from "./patch/apply-patch.ts";
export { createPatch } from "./patch/create-patch.ts";
export { EMPTY_PATCH, formatPatch, isPatchOperation, type PatchOperation } from "./patch/patch-operation.ts";
export { quantityThousandths } from "./quantity/compare-quantities.ts";
export { isQuantity } from "./quantity/quantity.ts";
export { containersOf, isRunning, type Metadata, metadataOf, type WorkloadKind, workloadKinds } from "./read-object.ts";
export { checkPod, isScalar } from "./schema/check-pod.ts";
export { isDefaulted } from "./schema/defaults.ts";
export { POD_TYPE, type TypeSchema } from "./schema/schema.ts";
export { isStoredForm, keepStoredForm, omitEmpty } from "./schema/stored-form.ts";
export { isImageReference, isPinned } from "./validate/containers/image-reference.ts";
export { MAX_ANNOTATION_BYTES } from "./validate/metadata/metadata.ts";
export { type PodViolation, validateChange, validatePod, violationKey } from "./validate/validate-pod.ts";
