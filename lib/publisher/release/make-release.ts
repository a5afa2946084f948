// What is published: the tree as it is stored, and the release that it compiles to.
import { defined, OutriggerError, ownError, readUntil } from "@outrigger/base";
import { guardKeys, guardRelease, unknownEntries } from "@outrigger/guardrails";
import { compileRelease, publishChannel, type Release } from "@outrigger/injector";
import { releaseDigest } from "@outrigger/serving";
import { type PublisherDependencies, patienceOf } from "../dependencies.ts";
import type { PublisherRequest } from "../request/parse-request.ts";
import { assertEnvironment } from "../source/environment.ts";
import { checkManifest, treeDigest } from "../source/push-manifest.ts";
import { readSettledSource } from "../source/settled-source.ts";
import type { SourceSnapshot } from "../source/source-parameters.ts";
import { oneRelease } from "./release-object.ts";

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
    () => readSettledSource(store, layout, { now, sleep: patience.sleep }),
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
