// How a release comes about that is published: what was edited since the one before, by whom and why.
import type { PublisherDependencies } from "../dependencies.ts";
import type { Cause } from "../request/publisher-result.ts";
import { treeDigest } from "../source/push-manifest.ts";
import type { Made, PublishRequest } from "./make-release.ts";
import type { ReleaseOrigin } from "./release-object.ts";

/**
 * Returns how a release comes about that is made now, and what was edited since the one before.
 *
 * @param before how that one came about, where it is known
 */
export async function originOf(
  request: PublishRequest,
  made: Pick<Made, "source" | "tree">,
  before: ReleaseOrigin | undefined,
  dependencies: PublisherDependencies,
) {
  const { tree, source } = made;
  const edits = editsOf(source.versions, before);
  const cause = request.automatic === true ? await causeOfEdits(request, made, edits, dependencies) : request.cause;
  const { by, why } = cause;
  const at = dependencies.now().toISOString();
  const sources = sourcesOf(source.versions);
  const origin: ReleaseOrigin = { by, why, at, tree, shipped: treeDigest(dependencies.shipped), sources };
  return { edits, origin };
}

/** The author and reason come from the push that wrote the tree, otherwise from the parameters that were edited. */
async function causeOfEdits(
  { cause }: PublishRequest,
  { source: { manifest }, tree }: Pick<Made, "source" | "tree">,
  edits: readonly string[],
  dependencies: PublisherDependencies,
): Promise<Cause> {
  if (manifest?.digest === tree) return { by: manifest.by, why: manifest.why ?? cause.why };
  return { by: await editorsOf(edits, cause.by, dependencies), why: cause.why };
}

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
 * Returns what was edited since a release was made: `templates/sidecar@7`, or `mesh (deleted)`. Past a dozen they are
 * only counted. It is empty if the release does not say what it was made of.
 *
 * @example
 * ```ts
 * editsOf({ mesh: 2 }, { by: "", why: "", at: "", tree: "", sources: ["config@1", "mesh@1"] }) // => ["mesh@2", "config (deleted)"]
 * ```
 */
export function editsOf(versions: Readonly<Record<string, number>>, before: ReleaseOrigin | undefined) {
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

/** Returns who made the edits, where the store knows; otherwise what was known before. */
async function editorsOf(edits: readonly string[], otherwise: string, { editorOf, layout }: PublisherDependencies) {
  if (editorOf === undefined) return otherwise;
  const editors = new Set<string>();
  for (const edit of edits.slice(0, MAX_LOOKED_UP)) {
    const [, path = "", version] = /^(.*)@(\d+)$/.exec(edit) ?? [];
    const editor =
      version === undefined
        ? undefined
        : await editorOf({ name: layout.sourceParameter(path), version: Number(version) });
    if (editor !== undefined) editors.add(editor);
  }
  return editors.size === 0 ? otherwise : [...editors].join(", ");
}

/** One call each. */
const MAX_LOOKED_UP = 3;
