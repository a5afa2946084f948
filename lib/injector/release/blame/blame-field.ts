// Who wrote a field of an overlay: the line of a template, or the line of a values file whose value the template inserts.

import { type FieldPath, type JsonObject, jsonEqual, memoizeObject, once, valueAt } from "@outrigger/base";
import {
  type CompiledTemplates,
  type Expression,
  inspectOverlay,
  type Program,
  partialSource,
  statementsOf,
  type TemplateData,
} from "@outrigger/template";
import { locateYaml } from "@outrigger/yaml";
import { injectionHelpers } from "../../render/injection-helpers.ts";
import { type SourceText, settingFile } from "../read/source-text.ts";
import { treePath } from "../source-tree.ts";
import type { TreeFinding } from "../tree-finding.ts";

/** One template rendered for one sample. It is inspected when that is first needed. */
export type Rendering = Readonly<ReturnType<typeof rendering>>;

export interface Author extends Required<Pick<TreeFinding, "path" | "line" | "column">> {
  /** The path of the value that wrote the field, if a values file did: `values.global.proxy.resources.limits.cpu` */
  readonly value?: string;
  /** The template or partial that renders the field, as finding.ts names sources. */
  readonly source: string;
}

interface Sources {
  readonly release: { readonly templates: CompiledTemplates };
  /** The values files, the lowest first. */
  readonly values: readonly SourceText[];
}

export function rendering(compiled: CompiledTemplates, name: string, data: TemplateData, overlay: JsonObject) {
  const inspect = once(() => inspectOverlay({ compiled, helpers: injectionHelpers, name, data }));
  return { name, data, overlay, inspect };
}

export interface BlamedField {
  /** Keys and indexes in the overlay. */
  readonly steps: FieldPath;
  readonly part: "key" | "value";
  /** Whether to blame a value also where the tag inserts just the field; left out, the template chose the wrong value. */
  readonly isValueFault?: boolean;
}

export function authorOf(from: Rendering, field: BlamedField, sources: Sources): Author {
  const { steps, part } = field;
  const { source, line, column } = from.inspect().locate(steps, part);
  return valuesAuthor(from, field, sources) ?? { path: treePath(source), line, column, source };
}

/** The values file, where the field is inside of a value that a tag inserts. */
function valuesAuthor(from: Rendering, field: BlamedField, sources: Sources): Author | undefined {
  const { steps, part, isValueFault } = field;
  const tag = from.inspect().tagAt(steps);
  if (tag === undefined || (tag.rest.length === 0 && (part === "key" || !isValueFault))) return undefined;
  const { source, line, column } = tag.position;
  const expression = slotsOf(sources.release.templates).get(slotKey(source, line, column));
  for (const path of expression === undefined ? [] : valuePaths(expression)) {
    const isInserted = jsonEqual(valueAt(from.data["values"], path), valueAt(tag.value, []));
    if (!isInserted && tag.rest.length === 0) continue;
    const full = [...path, ...tag.rest];
    if (valueAt(from.data["values"], full) === undefined) continue;
    const file = settingFile(sources.values, full);
    const place = file && locateYaml(file.text, full, part);
    if (file && place) return { path: file.path, ...place, value: ["values", ...full].join("."), source };
  }
  return undefined;
}

/** The expression of each tag that prints a value, by its position. */
export const slotsOf = memoizeObject((compiled: CompiledTemplates): ReadonlyMap<string, Expression> => {
  const found = new Map<string, Expression>();
  for (const [source, program] of programsOf(compiled)) {
    for (const statement of statementsOf(program)) {
      if (statement.kind === "slot") found.set(slotKey(source, statement.line, statement.column), statement.expression);
    }
  }
  return found;
});

export function programsOf({ templates, partials }: CompiledTemplates): readonly (readonly [string, Program])[] {
  const named = Object.entries(partials).map(([name, program]) => [partialSource(name), program] as const);
  return [...Object.entries(templates), ...named];
}

export function slotKey(source: string, line: number, column: number): string {
  return `${source}:${line}:${column}`;
}

function valuePaths(expression: Expression): readonly (readonly string[])[] {
  if (expression.kind === "call") return expression.args.flatMap(valuePaths);
  if (expression.kind === "literal") return [];
  const parts =
    expression.kind === "data" && expression.parts[0] === "root" ? expression.parts.slice(1) : expression.parts;
  return parts[0] === "values" ? [parts.slice(1)] : [];
}
