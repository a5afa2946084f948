// The face of @outrigger/pod: what other packages and other people may use. Everything else is internal.
export { applyPatch } from "./apply-patch.ts";
export { checkPod, isInt32, isInt64, type SchemaViolation } from "./check-pod.ts";
export { type FieldPath, fieldSteps, formatFieldPath } from "./field-path.ts";
export { EMPTY_PATCH, formatPatch } from "./format-patch.ts";
export { createPatch } from "./json-patch.ts";
export {
  isEmptySelector,
  type LabelSelector,
  matchesLabelSelector,
  parseLabelSelector,
  type SelectorRequirement,
} from "./label-selector.ts";
export { isDirective } from "./merge-directives.ts";
export { isPatchOperation, type PatchOperation } from "./patch-operation.ts";
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
} from "./pod-types.ts";
export { isQuantity, parseQuantity } from "./quantity.ts";
export { type FieldSchema, POD_TYPE, type TypeKind, type TypeSchema } from "./schema.ts";
export { isLeftOut, isStoredForm, keepStoredForm } from "./stored-form.ts";
export { strategicMerge } from "./strategic-merge.ts";
export { changeViolations } from "./validate/changes.ts";
export { MAX_ANNOTATION_BYTES } from "./validate/metadata.ts";
export { ENV_NAME_FORM, isDnsLabel, isEnvName, isLabelValue, LABEL_FORM, LABEL_VALUE_FORM } from "./validate/names.ts";
export { introducedViolations, type PodViolation, validatePod, violationKey } from "./validate/validate-pod.ts";
export { type WorkloadKind, workloadKinds } from "./workload-kinds.ts";
