// Compiles templates alone, as tests of the template language need them: the product compiles whole trees.

import type { CompiledTemplates } from "@outrigger/template";
import { examineTemplates, type Finding, findingError, type TemplateSources } from "@outrigger/template";

/**
 * @param helpers names of the helpers that the templates are rendered with
 * @throws OutriggerError `template-invalid` for the first error, with template, line and column
 */
export function compileTemplates(sources: TemplateSources, helpers: readonly string[]): CompiledTemplates {
  const { compiled, findings } = examineTemplates(sources, helpers);
  const errors = findings.filter(({ severity }) => severity === "error");
  if (errors[0]) throw findingError(errors[0], errors.length - 1);
  return compiled;
}

/** All findings, errors and warnings, in the order of templates and lines. */
export function lintTemplates(sources: TemplateSources, helpers: readonly string[]): readonly Finding[] {
  return examineTemplates(sources, helpers).findings;
}
