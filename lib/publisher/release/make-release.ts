// What is published: the tree as it is stored, the release that it compiles to, and what was edited in it, by whom.
import { defined, OutriggerError, ownError, readUntil } from "@outrigger/base";
import { guardKeys, guardRelease, unknownEntries } from "@outrigger/guardrails";
import { compileRelease, publishChannel, type Release } from "@outrigger/injector";
import { releaseDigest } from "@outrigger/serving";
import { type PublisherDependencies, patienceOf } from "../dependencies.ts";
import type { PublisherRequest } from "../request/parse-request.ts";
import type { Cause } from "../request/publisher-result.ts";
import { assertEnvironment } from "../source/environment.ts";
import { checkManifest, treeDigest } from "../source/push-manifest.ts";
import { readSettledSource } from "../source/settled-source.ts";
import type { SourceSnapshot } from "../source/source-parameters.ts";
import { oneRelease, type ReleaseOrigin } from "./release-object.ts";

export type PublishRequest = PublisherRequest & { readonly action: "publish" };

export type Made = Awaited<ReturnType<typeof makeRelease>>;

/**
 * Reads and compiles the tree.
 *
 * @throws OutriggerError with the parameter's name, line and column of the error
 */
export async function makeRelease(request: PublishRequest, dependencies: PublisherDependencies) {
  const { layout, guardrails } = dependencies;
  const source = await readWanted(request, dependencies);
  const tree = treeDigest(source.tree);
  checkManifest(source.manifest, tree, layout.sourceParameter("manifest"));
  if (request.tree !== undefined && request.tree !== tree) throw treeChanged(layout.source);
  assertEnvironment(source.tree, dependencies.environment, layout.source);
  // `named` is publishTo of the tree.
  const { release, named } = compiled(source, dependencies);
  assertGuarded(release, source, dependencies);
  const met = guardrails === undefined ? [] : guardKeys(guardrails, release, source.tree);
  const warnings = met.map(({ path, line, message }) => `${path}${line === undefined ? "" : `:${line}`}: ${message}`);
  return { source, tree, release, named, digest: releaseDigest(release), warnings };
}

/** The tree; where one is asked for that was pushed just now, it is waited for. */
function readWanted({ tree }: PublishRequest, dependencies: PublisherDependencies): Promise<SourceSnapshot> {
  const { store, layout, now } = dependencies;
  const patience = patienceOf(dependencies);
  return readUntil(
    () => readSettledSource(store, layout, { now: () => now().getTime(), sleep: patience.sleep }),
    (source) => tree === undefined || treeDigest(source.tree) === tree,
    patience,
  );
}

/** An error in the tree names the parameter that contains it. */
function compiled(source: SourceSnapshot, dependencies: PublisherDependencies) {
  const layers = [dependencies.shipped, source.tree];
  try {
    return { release: oneRelease((dependencies.compile ?? compileRelease)(layers)), named: publishChannel(layers) };
  } catch (error) {
    throw withParameter(ownError(error), source, dependencies);
  }
}

/** Never held for a person: what the deployment does not admit, no editor may accept. */
function assertGuarded(release: Release, source: SourceSnapshot, dependencies: PublisherDependencies): void {
  const { guardrails, shipped } = dependencies;
  const unknown = guardrails && unknownEntries(guardrails);
  if (unknown !== undefined) throw unknown;
  const [first, ...others] = guardrails === undefined ? [] : guardRelease(guardrails, release, [shipped, source.tree]);
  if (first === undefined) return;
  const { message, path, line, column } = first;
  const more = others.length === 0 ? "" : `; ${others.length} more ${others.length === 1 ? "finding" : "findings"}`;
  const at = line === undefined ? "" : ` (line ${line}, column ${column})`;
  const details = { path, ...defined({ line, column }) };
  const error = new OutriggerError("guardrail-violated", `${message}${at}${more}`, details);
  throw withParameter(error, source, dependencies);
}

function withParameter(error: OutriggerError, { versions }: SourceSnapshot, { layout }: PublisherDependencies) {
  const { code, message, path, line, column } = error;
  const owner = Object.keys(versions).find((name) => path === name || path?.startsWith(`${name}.`));
  if (owner === undefined) return error;
  const name = layout.sourceParameter(owner);
  const listed = message.replace(/; \d+ more (?:errors?|findings?)$/, '$& ("outrigger lint source" lists all)');
  const details = { path: name, ...defined({ line, column }), cause: error };
  return new OutriggerError(code, `${listed}; the text is in ${name}, version ${versions[owner]}`, details);
}

export function treeChanged(path: string): OutriggerError {
  const message = `Cannot publish ${path}: it is not the tree that was requested, because it was edited since; look at it again with "outrigger publish", or pull and push again`;
  return new OutriggerError("tree-changed", message, { path });
}

/** The author and reason come from the push that wrote the tree, otherwise from the parameters that were edited. */
export async function causeOfEdits(
  { cause }: PublishRequest,
  { tree, manifest }: SourceSnapshot,
  edits: readonly string[],
  dependencies: PublisherDependencies,
): Promise<Cause> {
  if (manifest?.digest === treeDigest(tree)) return { by: manifest.by, why: manifest.why ?? cause.why };
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
