// Findings about a tree: what lint prints, and what a release keeps of its warnings.

import { defined, type OutriggerError } from "@outrigger/base";
import { describeTemplate, type Finding, type TemplatePosition } from "@outrigger/template";
import { type SourceTree, treePath } from "./source-tree.ts";

/** One thing that is wrong, or odd, in a source tree. */
export interface TreeFinding extends Partial<Pick<TemplatePosition, "line" | "column">> {
  /** An error keeps the tree from being published; a warning does not. */
  readonly severity: "error" | "warning";
  /** The path in the tree, such as `templates/sidecar`. It is empty for a finding about the tree as a whole. */
  readonly path: string;
  readonly message: string;
}

/** The errors and warnings of one examination. Errors keep their code for the publisher. */
export interface Findings {
  readonly errors: readonly OutriggerError[];
  readonly warnings: readonly TreeFinding[];
}

/**
 * The finding that says what an error says.
 *
 * @param layers trees of which the finding is to name an entry: an error while rendering names a template, which may be in none
 */
export function errorFinding(
  { message, path = "", line, column }: OutriggerError,
  layers?: readonly SourceTree[],
): TreeFinding {
  // A finding has its position in front, so the message does not repeat it.
  const place = ` (line ${line}, column ${column})`;
  const reason = message.replace(/^Cannot compile (?:template|partial) "[^"]*": /, "").replace(place, "");
  const isThere = (entry: string) => layers?.some((layer) => Object.hasOwn(layer, entry)) !== false;
  const entry = [path, treePath(path)].find(isThere) ?? "";
  return { severity: "error", path: entry, ...defined({ line, column }), message: reason };
}

export function templateFinding({ template, severity, line, column, message }: Finding): TreeFinding {
  return { severity, path: treePath(template), line, column, message };
}

/** Returns a warning as one sentence: `In template "sidecar", … (line 3, column 5)` */
export function describeWarning({ path, line, column, message }: TreeFinding): string {
  if (path === "" || line === undefined) return message;
  const place = `(line ${line}, column ${column})`;
  if (!/^(templates|partials)\//.test(path))
    return message.endsWith(`(in ${path})`) ? message : `${message} (${path}, line ${line}, column ${column})`;
  const source = path.startsWith("templates/") ? path.slice("templates/".length) : path;
  return `In ${describeTemplate(source)}, ${message} ${place}`;
}

/** Sorts findings by path, line and column. */
export function sortFindings(findings: readonly TreeFinding[]): readonly TreeFinding[] {
  return [...findings].sort(
    (a, b) =>
      (a.path < b.path ? -1 : a.path > b.path ? 1 : 0) ||
      (a.line ?? 0) - (b.line ?? 0) ||
      (a.column ?? 0) - (b.column ?? 0),
  );
}
