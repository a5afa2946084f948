// Template texts → the dense form, or everything that is wrong with them. Runs when a release is made, never for a pod.

import { COMPILED_FORMAT, type CompiledTemplates, type Program } from "../compiled-templates.ts";
import { type Finding, findingError, partialSource } from "../finding.ts";
import { lintPrograms } from "./lint-templates.ts";
import { readTemplate } from "./read-template.ts";

export interface TemplateSources {
  readonly templates: Readonly<Record<string, string>>;
  readonly partials: Readonly<Record<string, string>>;
}

/**
 * Compiles templates to plain JSON for `loadTemplates`.
 *
 * @param helpers names of the helpers that will be there when the templates are rendered
 * @throws OutriggerError `template-invalid` for the first error, with template, line and column
 */
export function compileTemplates(sources: TemplateSources, helpers: readonly string[]): CompiledTemplates {
  const { compiled, findings } = examine(sources, helpers);
  const errors = findings.filter(({ severity }) => severity === "error");
  if (errors[0]) throw findingError(errors[0], errors.length - 1);
  return compiled;
}

/** Everything that lint has to say, errors and warnings, in the order of templates and lines. */
export function lintTemplates(sources: TemplateSources, helpers: readonly string[]): readonly Finding[] {
  return examine(sources, helpers).findings;
}

function examine(sources: TemplateSources, helpers: readonly string[]) {
  const findings: Finding[] = [];
  const templates = readAll(sources.templates, (name) => name, findings);
  const partials = readAll(sources.partials, partialSource, findings);
  findings.push(...lintPrograms({ templates, partials, helpers }));
  findings.sort((a, b) =>
    a.template < b.template ? -1 : a.template > b.template ? 1 : a.line - b.line || a.column - b.column,
  );
  const compiled: CompiledTemplates = {
    format: COMPILED_FORMAT,
    templates: mapPrograms(templates, withoutPathPlaces),
    partials: mapPrograms(partials, withoutPathPlaces),
  };
  return { compiled, findings };
}

function readAll(texts: Readonly<Record<string, string>>, sourceOf: (name: string) => string, findings: Finding[]) {
  const programs = Object.entries(texts).map(([name, text]): [string, Program] => {
    const read = readTemplate(text, sourceOf(name));
    findings.push(...read.findings);
    return [name, read.program];
  });
  return Object.fromEntries(programs);
}

function mapPrograms(programs: Readonly<Record<string, Program>>, map: (program: Program) => Program) {
  return Object.fromEntries(Object.entries(programs).map(([name, program]) => [name, map(program)]));
}

/** Everything in the dense form is a list, so that this needs to know two kinds of expression only. */
function withoutPathPlaces<T>(node: T): T {
  if (!Array.isArray(node)) return node;
  if (node[0] === "path" && Array.isArray(node[3])) return node.slice(0, 4) as T;
  if (node[0] === "data" && Array.isArray(node[2])) return node.slice(0, 3) as T;
  return node.map(withoutPathPlaces) as T;
}
