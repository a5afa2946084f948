// What was edited between two releases, and by whom, as far as versions and the store show.
import type { PublisherDependencies } from "../dependencies.ts";
import type { ReleaseOrigin } from "./release-parameters.ts";

/** The most edits that are named one by one. */
const MAX_EDITS = 12;

/**
 * Versions as they are kept: `templates/sidecar@7`, in path order.
 *
 * @example
 * ```ts
 * sourcesOf({ mesh: 2, config: 1 }) // => ["config@1", "mesh@2"]
 * ```
 */
export function sourcesOf(versions: Readonly<Record<string, number>>): readonly string[] {
  return Object.keys(versions)
    .sort()
    .map((path) => `${path}@${versions[path]}`);
}

/**
 * What was edited since a release was made: `templates/sidecar@7`, or `mesh (deleted)`. Past a dozen they are only
 * counted. Empty if the release does not say what it was made of.
 *
 * @example
 * ```ts
 * editsOf({ mesh: 2 }, { by: "", why: "", at: "", tree: "", sources: ["config@1", "mesh@1"] }) // => ["mesh@2", "config (deleted)"]
 * ```
 */
export function editsOf(
  versions: Readonly<Record<string, number>>,
  before: ReleaseOrigin | undefined,
): readonly string[] {
  const sources = before === undefined ? [] : before.sources;
  if (sources === undefined) return [];
  const known = new Set(sources);
  const deleted = sources.map((source) => source.replace(/@\d+$/, "")).filter((path) => !Object.hasOwn(versions, path));
  const edits = [
    ...sourcesOf(versions).filter((source) => !known.has(source)),
    ...deleted.map((path) => `${path} (deleted)`),
  ];
  const rest = edits.length - MAX_EDITS;
  return rest > 0 ? [...edits.slice(0, MAX_EDITS), `and ${rest} more`] : edits;
}

/** Who made the edits, where the store knows; otherwise what was known before. */
export async function editorsOf(
  edits: readonly string[],
  otherwise: string,
  { editorOf, layout }: PublisherDependencies,
): Promise<string> {
  if (editorOf === undefined) return otherwise;
  const editors = new Set<string>();
  for (const edit of edits.slice(0, MAX_LOOKED_UP)) {
    const [, path, version] = /^(.*)@(\d+)$/.exec(edit) ?? [];
    const editor = path === undefined ? undefined : await editorOf(layout.sourceParameter(path), Number(version));
    if (editor !== undefined) editors.add(editor);
  }
  return editors.size === 0 ? otherwise : [...editors].join(", ");
}

/** One call each. */
const MAX_LOOKED_UP = 3;
