// The source tree: what people edit, as texts by path, whatever it was read from (files, Parameter Store, a test).

import { defined, OutriggerError, ownError } from "@outrigger/base";
import { describeTemplate, type Finding, type TemplatePosition } from "@outrigger/template";

/**
 * Path → text. Paths are those of Parameter Store below `source/`: `config`, `mesh`, `proxyconfigs`, `namespaces`,
 * `schema`, `manifest`, `values/<layer>`, `templates/<name>`, `partials/<name>`, `samples/<name>`.
 */
export type SourceTree = Readonly<Record<string, string>>;

export type SourceFolder = "values" | "templates" | "partials" | "samples";

const singles: readonly string[] = ["config", "mesh", "proxyconfigs", "namespaces", "schema", "manifest"];
const folders: readonly string[] = ["values", "templates", "partials", "samples"];
const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/**
 * Checks that a path means something in a source tree.
 *
 * @throws OutriggerError `tree-invalid` for one that does not, naming those that do
 * @example
 * ```ts
 * checkSourcePath("templates/sidecar") // => undefined
 * ```
 */
export function checkSourcePath(path: string): void {
  const [folder = "", name, ...rest] = path.split("/");
  if (name === undefined ? singles.includes(folder) : folders.includes(folder)) {
    if (name === undefined || (rest.length === 0 && namePattern.test(name))) return;
    throw invalid(path, "use a name of letters, digits, dots, underscores and dashes");
  }
  const known = [...singles, ...folders.map((known) => `${known}/<name>`)].join(", ");
  throw invalid(path, `it means nothing here; a source tree holds ${known}`);
}

/** The entries of one folder in name order, as [name, text]. */
export function folderEntries(tree: SourceTree, folder: SourceFolder): readonly (readonly [string, string])[] {
  const prefix = `${folder}/`;
  return Object.keys(tree)
    .filter((path) => path.startsWith(prefix))
    .sort()
    .map((path) => [path.slice(prefix.length), tree[path] as string] as const);
}

/** The path in the tree of a template's source: templates go by their name, partials by their path. */
export function treePath(source: string): string {
  return source.startsWith("partials/") ? source : `templates/${source}`;
}

function invalid(path: string, wayOut: string): OutriggerError {
  const message = `Cannot read ${JSON.stringify(path)} in the source tree: ${wayOut}`;
  return new OutriggerError("tree-invalid", message, { path });
}

// Findings about a tree: what lint prints, and what a release keeps of its warnings.

/** One thing that is wrong, or odd, in a source tree. */
export interface TreeFinding extends Partial<Pick<TemplatePosition, "line" | "column">> {
  /** An error keeps the tree from being published; a warning does not. */
  readonly severity: "error" | "warning";
  /** Path in the tree: `templates/sidecar`; empty for a finding about the tree as a whole. */
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

/** `In template "sidecar", … (line 3, column 5)`: a warning as one sentence. */
export function describeWarning({ path, line, column, message }: TreeFinding): string {
  if (path === "" || line === undefined) return message;
  const place = `(line ${line}, column ${column})`;
  if (!/^(templates|partials)\//.test(path))
    return message.endsWith(`(in ${path})`) ? message : `${message} (${path}, line ${line}, column ${column})`;
  const source = path.startsWith("templates/") ? path.slice("templates/".length) : path;
  return `In ${describeTemplate(source)}, ${message} ${place}`;
}

/** In the order of paths, lines and columns. */
export function sortFindings(findings: readonly TreeFinding[]): readonly TreeFinding[] {
  return [...findings].sort(
    (a, b) =>
      (a.path < b.path ? -1 : a.path > b.path ? 1 : 0) ||
      (a.line ?? 0) - (b.line ?? 0) ||
      (a.column ?? 0) - (b.column ?? 0),
  );
}

/** What is read, or undefined where it cannot be: then its error is added. Any other error is a fault of the code and thrown. */
export function attemptTo<T>(read: () => T, errors: OutriggerError[]): T | undefined {
  try {
    return read();
  } catch (error) {
    errors.push(ownError(error));
    return undefined;
  }
}
