// The face of @outrigger/template: what other packages and other people may use. Everything else is internal.

export { readBranches } from "./branch-overlays.ts";
export { examineTemplates, type TemplateSources } from "./compile/compile-templates.ts";
export { isGoTemplate } from "./compile/go-syntax.ts";
export { unresolvedValues } from "./compile/unresolved-values.ts";
export { usedValues } from "./compile/used-values.ts";
export {
  type CompiledTemplates,
  type Expression,
  type Program,
  statementsOf,
  TEMPLATE_ROOTS,
} from "./compiled-templates.ts";
export { describeTemplate, type Finding, findingError, partialSource, type TemplatePosition } from "./finding.ts";
export { CONTAINERS } from "./helpers/common-arguments.ts";
export { defineHelpers, type Helper, type HelperTable } from "./helpers/helper.ts";
export { helpers } from "./helpers/helpers.ts";
export { LOOKUP_DOC } from "./helpers/lookup-doc.ts";
export { type InspectedOverlay, inspectOverlay, takenBranches } from "./inspect-overlay.ts";
export { loadTemplates, type TemplateData, type TemplateSet } from "./load-templates.ts";
export type { CompiledShape } from "./shape/shape.ts";
export { templateInputs } from "./template-inputs.ts";
export { type TemplateWrite, type TemplateWrites, templateWrites, type WriteStep } from "./template-writes.ts";
export { UNKNOWN } from "./unknown.ts";
