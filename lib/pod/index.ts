// The face of @outrigger/pod: what other packages and other people may use. Everything else is internal.

export { type FieldPath, fieldSteps, formatFieldPath } from "./field-path.ts";
export type {
  Container,
  EnvVar,
  HTTPGetAction,
  LifecycleHandler,
  ObjectMeta,
  Pod,
  PodSpec,
  Probe,
  SecurityContext,
  Volume,
} from "./generated/pod-types.ts";
export {
  isEmptySelector,
  type LabelSelector,
  matchesLabelSelector,
  parseLabelSelector,
  type SelectorRequirement,
} from "./label-selector.ts";
export { isDirective } from "./merge/directives.ts";
export { strategicMerge } from "./merge/strategic-merge.ts";
export { ENV_NAME_FORM, isDnsLabel, isEnvName, isLabelValue, LABEL_FORM, LABEL_VALUE_FORM } from "./names.ts";
export { applyPatch } from "./patch/apply-patch.ts";
export { createPatch } from "./patch/create-patch.ts";
export { EMPTY_PATCH, formatPatch } from "./patch/format-patch.ts";
export { isPatchOperation, type PatchOperation } from "./patch/patch-operation.ts";
export { canonicalQuantity } from "./quantity/canonical-quantity.ts";
export { isQuantity } from "./quantity/read-quantity.ts";
export { checkPod, isInt32, isInt64, type SchemaViolation } from "./schema/check-pod.ts";
export { type FieldSchema, POD_TYPE, type TypeKind, type TypeSchema } from "./schema/schema.ts";
export { isLeftOut, isStoredForm, keepStoredForm } from "./schema/stored-form.ts";
export { changeViolations } from "./validate/changes.ts";
export { MAX_ANNOTATION_BYTES } from "./validate/metadata/metadata.ts";
export { introducedViolations, type PodViolation, validatePod, violationKey } from "./validate/validate-pod.ts";
export { type WorkloadKind, workloadKinds } from "./workload-kinds.ts";
