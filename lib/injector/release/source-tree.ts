// The source tree: what people edit, as texts by path, whatever it was read from (files, Parameter Store, a test).

import { OutriggerError } from "@outrigger/base";

/**
 * The texts of a tree by path. Paths are those of Parameter Store below `source/`: `config`, `mesh`, `proxyconfigs`,
 * `namespaces`, `schema`, `manifest`, `values/<layer>`, `templates/<name>`, `partials/<name>`, `samples/<name>`.
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
