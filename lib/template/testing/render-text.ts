// Renders a template to text with every slot joined as text, as Handlebars would. For comparison and display only:
// overlays are never made from this text.

import { bindProgram } from "../bind/bind-program.ts";
import { branchKeyOf, startRender } from "../bind/render-state.ts";
import { placeholderNumber, placeholderPattern, placeholdersOf, shapeText } from "../bind/text-pieces.ts";
import { valueText } from "../bind/value-text.ts";
import { examineTemplates, type TemplateSources } from "../compile/compile-templates.ts";
import type { CompiledTemplates, Program } from "../compiled-templates.ts";
import { findingError } from "../finding.ts";
import type { HelperTable } from "../helpers/helper.ts";
import { helpers as generalHelpers } from "../helpers/helpers.ts";
import type { LoadOptions, TemplateData } from "../load-templates.ts";

/** @throws OutriggerError `template-render` for an object in a slot, or from a helper */
export function renderText(
  compiled: CompiledTemplates,
  { helpers, constants }: Pick<LoadOptions, "helpers" | "constants">,
  name: string,
  data: TemplateData,
): string {
  const program = compiled.templates[name] as Program;
  const plan = bindProgram({ name, program, partials: compiled.partials, helpers, constants });
  const state = startRender([data]);
  plan.run?.(state);
  const placeholders = placeholdersOf(plan.pieces, name);
  const { text } = shapeText(plan.pieces, branchKeyOf(state), placeholders, name);
  let values = 0;
  return text.replace(placeholderPattern(placeholders.mark), (_, digits: string) => {
    const slot = placeholders.slots.get(placeholderNumber(digits));
    return valueText(slot?.kind === "constant" ? slot.value : state.values[values++]);
  });
}

/**
 * @param helpers the table that the templates are rendered with
 * @throws OutriggerError `template-invalid` for the first error, with template, line and column
 */
export function compileTemplates(sources: TemplateSources, helpers: HelperTable = generalHelpers): CompiledTemplates {
  const { compiled, findings } = examineTemplates(sources, helpers);
  const errors = findings.filter(({ severity }) => severity === "error");
  if (errors[0]) throw findingError(errors[0]);
  return compiled;
}
