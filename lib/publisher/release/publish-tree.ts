// `publish`: from the parameters below `source/` to a release that a channel serves, or to the reason why not.

import { channelNamePattern, defined, OutriggerError } from "@outrigger/base";
import type { Release } from "@outrigger/injector";
import { compileRelease, publishChannel } from "@outrigger/injector";
import { releaseDigest } from "@outrigger/serving";
import { assertNotPinned, assertServing } from "../channel/move-checks.ts";
import { moveMessage, pinMessage } from "../channel/move-message.ts";
import type { Change, Decision } from "../commit/decision.ts";
import { type PublisherDependencies, sleepOf } from "../dependencies.ts";
import { assertApproved } from "../records/channel-settings.ts";
import { entryOf } from "../records/read-records.ts";
import type { State } from "../records/read-state.ts";
import type { Cause, ChannelMove, PublisherRequest } from "../request/publisher-request.ts";
import { checkManifest } from "../source/push-manifest.ts";
import { readSettledSource } from "../source/settled-source.ts";
import type { SourceSnapshot } from "../source/source-parameters.ts";
import { treeDigest } from "../source/tree-digest.ts";
import { editorsOf, editsOf, sourcesOf } from "./edits.ts";
import { type ReleaseOrigin, readRelease } from "./release-parameters.ts";

type PublishRequest = PublisherRequest & { readonly action: "publish" };

/**
 * Gives the function that reads and compiles the source tree, and decides what publishing it comes to. Every error in the
 * tree is thrown before anything is written.
 *
 * The tree is read after the state that it is published on, and again where another publisher has moved a channel since:
 * otherwise the slower of two publishers would serve the older tree after the newer one.
 *
 * @throws OutriggerError with the parameter's name, line and column of the error
 */
export function publishTree(
  request: PublishRequest,
  dependencies: PublisherDependencies,
): (state: State) => Promise<Decision> {
  let last: { readonly made: Made; readonly after: number } | undefined;
  return async (state) => {
    const after = last?.after ?? 0;
    const isStale = mayHaveMoved(state, after);
    const made = last === undefined || isStale ? await make(request, dependencies) : last.made;
    last = { made, after: state.lastChange };
    return decide(request, made, state, dependencies);
  };
}

/** Whether a channel was moved after a change, as far as the entries that were read tell. */
function mayHaveMoved({ entries, lastChange }: State, after: number): boolean {
  const later = entries.filter(({ number }) => number > after);
  return later.length < lastChange - after || later.some(({ change }) => change.kind === "channel");
}

async function make(request: PublishRequest, dependencies: PublisherDependencies): Promise<Made> {
  const { layout } = dependencies;
  const source = await readWanted(request, dependencies);
  const tree = treeDigest(source.tree);
  checkManifest(source.manifest, tree, layout.sourceParameter("manifest"));
  if (request.tree !== undefined && request.tree !== tree) throw treeChanged(layout.source);
  const { release, channel } = compiled(request, source, dependencies);
  return { source, tree, release, channel, digest: releaseDigest(release) };
}

interface Made {
  readonly source: SourceSnapshot;
  readonly tree: string;
  readonly release: Release;
  readonly channel: string;
  readonly digest: string;
}

async function decide(
  request: PublishRequest,
  { source, tree, release, channel, digest }: Made,
  state: State,
  dependencies: PublisherDependencies,
): Promise<Decision> {
  const record = entryOf(state.channels, channel);
  if (request.release !== undefined && request.release !== digest) throw treeChanged(dependencies.layout.source);
  assertServing(request.serving, digest, channel, record);
  const before = record === undefined ? undefined : await originOf(record.release, dependencies);
  const isAutomatic = request.automatic === true;
  if (isAutomatic) assertMeant(source, before, dependencies.layout.source);
  if (record?.pinned === true && isAutomatic) return staysPinned(channel, record.release, release.warnings);
  if (record?.approval === true && record.release !== digest) {
    if (isAutomatic) return staysUntilApproved(channel, record.release, release.warnings);
    assertApproved(channel, record, digest);
  }
  if (request.unpin !== true) assertNotPinned(channel, record);

  const isNew = record?.release !== digest || record.pinned;
  const at = dependencies.now().toISOString();
  const edits = editsOf(source.versions, before);
  const { by, why } = isAutomatic ? await causeOfEdits(request, source, edits, dependencies) : request.cause;
  // A share goes on next to an edit; a release that is published to all needs none.
  const share = record?.share?.release === digest ? undefined : record?.share;
  const rollout = share === undefined ? undefined : record?.rollout;
  const shared = defined({ share, rollout });
  const move: ChannelMove = { action: "publish", release: digest, at, by, why, edits, tree, ...shared };
  const origin: ReleaseOrigin = { by, why, at, tree, sources: sourcesOf(source.versions) };
  const fresh = { digest, release, origin, tree: source.tree };
  const change: Change = { kind: "channel", name: channel, move, pinned: false, release: fresh };
  return {
    change: isNew ? change : { kind: "none", ...(before?.tree === tree ? {} : { release: fresh }) },
    message: `${moveMessage(channel, record, digest, request.dryRun === true)}${pinMessage(record, false)}`,
    channel,
    release: digest,
    warnings: release.warnings,
  };
}

function staysPinned(channel: string, release: string, warnings: readonly string[]): Decision {
  const message = `${channel} is pinned to ${release} and stays there; unpin it to let edits move it`;
  return { change: { kind: "none" }, message, channel, release, warnings: [message, ...warnings] };
}

function staysUntilApproved(channel: string, release: string, warnings: readonly string[]): Decision {
  const message = `${channel} stays at ${release}: it takes promotions that another person approves, and no edits; set publishTo to another channel, and promote that one`;
  return { change: { kind: "none" }, message, channel, release, warnings: [message, ...warnings] };
}

/** Milliseconds by which a reading may be behind a push that has just ended, at most, and between two readings. */
const BEHIND = 3000;
const AGAIN = 250;

/** The tree; where one is asked for that was pushed just now, it is waited for. */
async function readWanted({ tree }: PublishRequest, dependencies: PublisherDependencies): Promise<SourceSnapshot> {
  const { store, layout, now } = dependencies;
  const sleep = sleepOf(dependencies);
  for (let waited = 0; ; waited += AGAIN) {
    const source = await readSettledSource(store, layout, { now: () => now().getTime(), sleep });
    if (tree === undefined || treeDigest(source.tree) === tree || waited >= BEHIND) return source;
    await sleep(AGAIN);
  }
}

/** An error in the tree names the parameter that contains it. */
function compiled(request: PublishRequest, source: SourceSnapshot, dependencies: PublisherDependencies) {
  const layers = [dependencies.shipped, source.tree];
  let release: Release;
  let channel: string;
  try {
    release = (dependencies.compile ?? compileRelease)(layers);
    channel = request.channel ?? publishChannel(layers);
  } catch (error) {
    throw error instanceof OutriggerError ? withParameter(error, source, dependencies) : error;
  }
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
  const listed = message.replace(/; \d+ more (?:errors?|findings?)$/, '$& ("outrigger lint --store" lists all)');
  return new OutriggerError(code, `${listed}; the text is in ${name}, version ${versions[owner]}`, {
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
