// Compiles templates alone, as tests of the template language need them: the product compiles whole trees.

import { examineTemplates, type TemplateSources } from "../compile/compile-templates.ts";
import type { CompiledTemplates } from "../compiled-templates.ts";
import { type Finding, findingError } from "../finding.ts";
import { HELPER_ARGUMENTS } from "../helpers/helper-arguments.ts";

/**
 * @param helpers the arguments of the helpers that the templates are rendered with
 * @throws OutriggerError `template-invalid` for the first error, with template, line and column
 */
export function compileTemplates(sources: TemplateSources, helpers = HELPER_ARGUMENTS): CompiledTemplates {
  const { compiled, findings } = examineTemplates(sources, helpers);
  const errors = findings.filter(({ severity }) => severity === "error");
  if (errors[0]) throw findingError(errors[0], errors.length - 1);
  return compiled;
}

/** All findings, errors and warnings, in the order of templates and lines. */
export function lintTemplates(sources: TemplateSources, helpers = HELPER_ARGUMENTS): readonly Finding[] {
  return examineTemplates(sources, helpers).findings;
}
