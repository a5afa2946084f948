// Owns `publish`: from the parameters below `source/` to a release that a channel serves, or to the reason why not.

import { defined } from "../defined.ts";
import { OutriggerError } from "../errors.ts";
import { channelNamePattern } from "../names.ts";
import { compileRelease } from "../release/compile-release.ts";
import { parseConfig } from "../release/parse-config.ts";
import type { Release } from "../release/release.ts";
import { releaseDigest } from "../serve/release-digest.ts";
import { checkManifest } from "../source/push-manifest.ts";
import { readSourceParameters, type SourceSnapshot } from "../source/source-parameters.ts";
import { treeDigest } from "../source/tree-digest.ts";
import { applyChange, type Change } from "./apply-change.ts";
import { withMove } from "./channel-record.ts";
import type { PublisherDependencies } from "./dependencies.ts";
import { editorsOf, editsOf, sourcesOf } from "./edits.ts";
import { moveMessage, pinMessage } from "./move-channel.ts";
import type { Cause, ChannelMove, PublisherRequest, PublisherResult } from "./publisher-request.ts";
import { entryOf, readState } from "./read-state.ts";
import { type ReleaseOrigin, readRelease } from "./release-parameters.ts";

type PublishRequest = PublisherRequest & { readonly action: "publish" };

/**
 * Publishes the source tree. Whatever is wrong with it is thrown before anything is written.
 *
 * @throws OutriggerError with the parameter's name, line and column of what is wrong
 */
export async function publishTree(
  request: PublishRequest,
  dependencies: PublisherDependencies,
): Promise<PublisherResult> {
  const { layout, tier, now } = dependencies;
  const source = await readSourceParameters(dependencies.store, layout);
  const tree = treeDigest(source.tree);
  checkManifest(source.manifest, tree, layout.sourceParameter("manifest"));
  if (request.tree !== undefined && request.tree !== tree) throw treeChanged(layout.source);
  const { release, channel } = compiled(request, source, dependencies);
  const digest = releaseDigest(release);
  const state = await readState(dependencies);
  const record = entryOf(state.channels, channel);
  const before = record === undefined ? undefined : await originOf(record.release, dependencies);
  if (request.automatic === true) assertMeant(source, before, layout.source);

  const stays = record?.pinned === true && request.automatic === true;
  const isNew = !stays && (record?.release !== digest || record.pinned);
  const at = now().toISOString();
  const edits = editsOf(source.versions, before);
  const { by, why } = request.automatic ? await causeOfEdits(request, source, edits, dependencies) : request.cause;
  const move: ChannelMove = { action: "publish", release: digest, at, by, why, edits, tree };
  const origin: ReleaseOrigin = { by, why, at, tree, sources: sourcesOf(source.versions) };
  const next = withMove(record, move, false, tier);
  const change: Change = isNew
    ? { kind: "channel", name: channel, record: next, release: { digest, release, origin } }
    : { kind: "none" };
  const applied = await applyChange(change, state, dependencies, request.dryRun === true);
  const pinned = `${channel} is pinned to ${record?.release} and stays there; publish or unpin it to let it move`;
  return {
    ok: true,
    message: stays
      ? pinned
      : `${moveMessage(channel, record, digest, request.dryRun === true)}${pinMessage(record, false)}`,
    release: stays ? record.release : digest,
    channel,
    seq: applied.seq,
    changed: applied.changed,
    warnings: [...(stays ? [pinned] : []), ...release.warnings, ...applied.warnings],
    ...(applied.problems.length === 0 ? {} : { problems: applied.problems }),
  };
}

/** An error in the tree names the parameter that contains it. */
function compiled(request: PublishRequest, source: SourceSnapshot, dependencies: PublisherDependencies) {
  const layers = [dependencies.shipped, source.tree];
  let release: Release;
  let publishTo: string;
  try {
    release = (dependencies.compile ?? compileRelease)(layers);
    publishTo = parseConfig(layers.flatMap((layer) => layer["config"] ?? [])).publishTo;
  } catch (error) {
    throw error instanceof OutriggerError ? withParameter(error, source, dependencies) : error;
  }
  const channel = request.channel ?? publishTo;
  if (channelNamePattern.test(channel)) return { release, channel };
  const path = layoutPath(dependencies, "config");
  const message = `Cannot publish to channel ${JSON.stringify(channel.slice(0, 80))}: a channel is named in lower-case letters, digits and dashes; fix publishTo in ${path}`;
  throw new OutriggerError("config-invalid", message, { path });
}

function withParameter(error: OutriggerError, { versions }: SourceSnapshot, dependencies: PublisherDependencies) {
  const { code, message, path, line, column } = error;
  const owner = Object.keys(versions).find((name) => path === name || path?.startsWith(`${name}.`));
  if (owner === undefined) return error;
  const name = layoutPath(dependencies, owner);
  return new OutriggerError(code, `${message}; the text is in ${name}, version ${versions[owner]}`, {
    path: name,
    ...defined({ line, column }),
    cause: error,
  });
}

function layoutPath({ layout }: PublisherDependencies, path: string): string {
  return layout.sourceParameter(path);
}

/** The author and reason come from the push that wrote the tree, otherwise from the parameters that were edited. */
async function causeOfEdits(
  { cause }: PublishRequest,
  { tree, manifest }: SourceSnapshot,
  edits: readonly string[],
  dependencies: PublisherDependencies,
): Promise<Cause> {
  if (manifest?.digest === treeDigest(tree)) return { by: manifest.by, why: manifest.why ?? cause.why };
  return { by: await editorsOf(edits, cause.by, dependencies), why: cause.why };
}

/** An unreadable release says nothing about later edits. */
async function originOf(digest: string, { store, layout }: PublisherDependencies): Promise<ReleaseOrigin | undefined> {
  try {
    return (await readRelease(store, layout, digest)).origin;
  } catch (error) {
    if (error instanceof OutriggerError && error.code !== "store-unavailable" && error.code !== "store-denied") return;
    throw error;
  }
}

/** Deleting all of `source/` is almost certainly a mistake: it would serve the shipped templates to every pod. */
function assertMeant({ tree }: SourceSnapshot, before: ReleaseOrigin | undefined, path: string): void {
  const count = before?.sources?.length ?? 0;
  if (Object.keys(tree).length > 0 || count === 0) return;
  throw new OutriggerError(
    "tree-invalid",
    `Cannot publish ${path}: nothing is left of its ${count} parameters; run "outrigger restore" if they were deleted by mistake, or "outrigger publish" to serve the shipped templates`,
    { path },
  );
}

function treeChanged(path: string): OutriggerError {
  return new OutriggerError(
    "tree-changed",
    `Cannot publish ${path}: it is not the tree that was requested, because it was edited since; pull and push again`,
    { path },
  );
}
