// Template texts → the compiled form, or every finding about them. Runs when a release is made, never for a pod.

import { isObject, memoizeObject } from "@outrigger/base";
import { COMPILED_FORMAT, type CompiledTemplates, type Program } from "../compiled-templates.ts";
import { type Finding, partialSource } from "../finding.ts";
import type { HelperTable } from "../helpers/helper.ts";
import { lintPrograms } from "./lint-templates.ts";
import { readTemplate } from "./read-template.ts";

/** The texts of templates and of the partials that they call, by name: `sidecar`, without a folder. */
export interface TemplateSources {
  readonly templates: Readonly<Record<string, string>>;
  readonly partials: Readonly<Record<string, string>>;
}

/**
 * Compiles and lints templates in one pass: whatever has no error is compiled, and every error and warning is a finding, in
 * the order of templates and lines.
 *
 * @param helpers the table that the templates are rendered with
 * @returns the compiled form without the constructs that have an error
 * @example
 * ```ts
 * examineTemplates({ templates: { t: "a: {{nam.b}}" }, partials: {} }, {}).findings[0].message // => '"nam" is not in the template data'
 * ```
 */
export function examineTemplates(sources: TemplateSources, helpers: HelperTable) {
  const findings: Finding[] = [];
  const templates = readAll(sources.templates, (name) => name, findings);
  const partials = readAll(sources.partials, partialSource, findings);
  findings.push(...lintPrograms({ templates, partials }, helpers));
  findings.sort((a, b) =>
    a.template < b.template ? -1 : a.template > b.template ? 1 : a.line - b.line || a.column - b.column,
  );
  const compiled: CompiledTemplates = {
    format: COMPILED_FORMAT,
    templates: storedAll(templates),
    partials: storedAll(partials),
  };
  return { compiled, findings };
}

function readAll(texts: Readonly<Record<string, string>>, sourceOf: (name: string) => string, findings: Finding[]) {
  const programs = Object.entries(texts).map(([name, text]): [string, Program] => {
    const { program, findings: own } = readTemplate(text, sourceOf(name));
    findings.push(...own);
    return [name, program];
  });
  return Object.fromEntries(programs);
}

function storedAll(programs: Readonly<Record<string, Program>>): Readonly<Record<string, Program>> {
  return Object.fromEntries(Object.entries(programs).map(([name, program]) => [name, stored(program)]));
}

/** A program as a release has it. Most are those of the release before: readTemplate gives the same objects for them. */
const stored = memoizeObject((program: Program) => withoutPathPlaces(program));

/** Positions of paths are for lint only. Anything but these two kinds of expression keeps its position. */
function withoutPathPlaces<T>(node: T): T {
  if (Array.isArray(node)) return node.map(withoutPathPlaces) as T;
  if (!isObject(node)) return node;
  const isPath = node["kind"] === "path" || node["kind"] === "data";
  const fields = Object.entries(node).filter(([key]) => !isPath || (key !== "line" && key !== "column"));
  return Object.fromEntries(fields.map(([key, value]) => [key, withoutPathPlaces(value)])) as T;
}
