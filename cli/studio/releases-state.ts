// What the page shows of a deployment's channels. Every rule about releases is applied here: the page compares none.

import { MAX_NAMES } from "@outrigger/aws";
import { defined, entryOf, type OutriggerError, ownError } from "@outrigger/base";
import { errorFinding, lintSource, type SourceTree, type TreeFinding } from "@outrigger/injector";
import type { ChannelRecord } from "@outrigger/publisher";
import {
  editsChannel,
  readChannelRecord,
  readSourceParameters,
  rollbackTarget,
  treeDigest,
} from "@outrigger/publisher";
import type { ChannelState, NamedRelease, ReleaseChange, ReleasesState } from "@outrigger/studio";
import type { Deployment } from "../connect/deployment.ts";
import { findReference } from "../options/reference.ts";
import { readChannels, readClusters } from "../releases/read-records.ts";
import { ringDepth } from "../releases/rings.ts";
import { sourceDifference } from "../releases/source-difference.ts";
import type { Io } from "../terminal/io.ts";
import { changedPaths } from "../tree/three-way.ts";
import { type ChannelMove, type Channels, releaseChanges, takenBackBy } from "./release-changes.ts";

const LAST = "stable";
const LAST_RANK = 2;

export async function readReleasesState(
  deployment: Deployment,
  shipped: () => Promise<SourceTree>,
  io: Io,
): Promise<ReleasesState> {
  const [channels, clusters, base, { tree, faults }] = await Promise.all([
    readChannels(deployment, io),
    readClusters(deployment, io),
    shipped(),
    readSource(deployment),
  ]);
  const { publishTo: named, findings } = lintSource([base, tree]);
  const publishTo = editsChannel({ channels, unreadable: { channels: [], clusters: [] } }) ?? named ?? LAST;
  const [difference, published] = await Promise.all([
    sourceDifference(channels, deployment, io),
    // Of a release that is not read, or not any more, nothing is known.
    Object.hasOwn(channels, publishTo)
      ? findReference(publishTo, async () => deployment, io).catch(() => undefined)
      : undefined,
  ]);
  const flow = flowOf(channels, publishTo);
  const refused = [...faults, ...findings.filter(({ severity }) => severity === "error")];
  const unpublished = published?.tree === undefined ? [] : changedPaths(published.tree, tree);
  // The tree names it, maybe as a key of every object is named.
  const edited = entryOf(channels, publishTo);
  const isServed = unpublished.length === 0 && difference === undefined;
  const digest = treeDigest(tree);
  const isOfTree = (taken: string) =>
    Object.values(channels).some(({ history }) =>
      history.some((move) => move.release === taken && move.tree === digest),
    );
  const isTakenBack = edited !== undefined && lastTakenBack(edited.history).some(isOfTree);
  return {
    channels: Object.fromEntries(flow.map((name, at) => [name, channelState(name, channels, flow[at + 1])])),
    changes: releaseChanges(
      Object.fromEntries(flow.map((name) => [name, (channels[name] as ChannelRecord).history])),
      channels,
    ),
    flow,
    publishTo,
    edits: editsState(edited, { isServed, isTakenBack, isRefused: refused.length > 0 }),
    editsWait: editsWait(edited),
    refused,
    unpublished,
    clusters: Object.fromEntries(
      Object.entries(clusters).map(([name, { revisions, tokens = [] }]) => [
        name,
        // Never the tokens' digests: the page needs their age only.
        { revisions, tokens: tokens.map(({ created }) => created) },
      ]),
    ),
    difference: difference ?? null,
  };
}

/** The source tree, and what is wrong with parameters that are left out of it: the others are shown. */
export async function readSource({ store, target }: Deployment) {
  const faults: TreeFinding[] = [];
  const leaveOut = (fault: OutriggerError) => faults.push(errorFinding(fault, []));
  return { ...(await readSourceParameters(store, target.layout, { leaveOut })), faults };
}

/** The channels in order: from the one that edits go to, to the one that most pods are served from, and each behind the one that it follows. */
export function flowOf(channels: Readonly<Record<string, Pick<ChannelRecord, "follows">>>, publishTo: string) {
  const rank = (name: string) => {
    const depth = ringDepth(name, channels);
    return depth > 0 ? LAST_RANK + depth : name === LAST ? LAST_RANK : name === publishTo ? 0 : 1;
  };
  return Object.keys(channels).toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

/** @param following the name of the channel that follows, if one does */
export function channelState(name: string, channels: Channels, following = ""): ChannelState {
  const record = channels[name] as ChannelRecord;
  const next = entryOf(channels, following);
  const { history: _, ...served } = record;
  const { release, share } = record;
  const isAhead = next !== undefined && next.release !== release && next.share?.release !== release;
  return {
    ...served,
    serves: namedRelease(release, channels),
    isAhead,
    ...(isAhead && lastTakenBack(next.history).includes(release) && { isTakenBack: true }),
    ...defined({
      shares: share && namedRelease(share.release, channels),
      back: backOf(name, record, channels),
      left: leftBy(record, channels),
    }),
  };
}

/** Versions of a record between two that are read: each has the moves before it, as far as they fit, and adds one at most. */
const STEP = 5;

/** Parameter Store keeps so many. */
const MOST_VERSIONS = 100;

/** The changes of all channels, as far back as the versions of their records have moves: more than fit into the last ones. */
export async function readAllChanges(deployment: Deployment, io: Io): Promise<readonly ReleaseChange[]> {
  const channels = await readChannels(deployment, io);
  const histories = Object.keys(channels).map(
    async (name) => [name, await readWholeHistory(deployment, name)] as const,
  );
  return releaseChanges(Object.fromEntries(await Promise.all(histories)), channels);
}

async function readWholeHistory({ store, target }: Deployment, channel: string): Promise<readonly ChannelMove[]> {
  const name = target.layout.channel(channel);
  const [latest] = await store.getParameters([name]);
  const versions = Array.from({ length: MOST_VERSIONS / STEP }, (_, at) => (latest?.version ?? 0) - at * STEP);
  const names = versions.filter((version) => version > 0).map((version) => `${name}:${version}`);
  const halves = [names.slice(0, MAX_NAMES), names.slice(MAX_NAMES)].filter(({ length }) => length > 0);
  const records = (await Promise.all(halves.map((half) => store.getParameters(half)))).flat();
  const newest = records.toSorted((a, b) => b.version - a.version);
  const moves = new Map<string, ChannelMove>();
  for (const move of newest.flatMap((record) => readChannelRecord(record).history)) {
    const key = JSON.stringify([move.at, move.action, move.release]);
    if (!moves.has(key)) moves.set(key, move);
  }
  return [...moves.values()];
}

/** They change no release. */
const PINS: readonly ChannelMove["action"][] = ["pin", "unpin"];
const BACK: readonly ChannelMove["action"][] = ["abort", "rollback"];

/** The releases that were taken back since the last one was given, the latest first. */
function lastTakenBack(history: readonly ChannelMove[]): readonly string[] {
  const taken: string[] = [];
  for (const [at, move] of history.entries()) {
    if (PINS.includes(move.action)) continue;
    if (!BACK.includes(move.action)) break;
    const release = takenBackBy(move, history.slice(at + 1));
    if (release !== undefined) taken.push(release);
  }
  return taken;
}

function leftBy({ release, share, history }: ChannelRecord, channels: Channels): ChannelState["left"] {
  if (share !== undefined) return undefined;
  const [taken] = lastTakenBack(history);
  const left = taken ?? history.find((move) => move.release !== release)?.release;
  if (left === undefined || left === release) return undefined;
  return { ...namedRelease(left, channels), isTakenBack: taken !== undefined };
}

function backOf(name: string, record: ChannelRecord, channels: Channels): NamedRelease | undefined {
  try {
    return namedRelease(rollbackTarget(name, record), channels);
  } catch (error) {
    ownError(error, "release-unknown");
    return undefined;
  }
}

/** The move that made a release says what it is for; else the latest that served it. */
export function namedRelease(release: string, channels: Channels): NamedRelease {
  const moves = Object.values(channels).flatMap(({ history }) => history.filter((move) => move.release === release));
  const { why, by, at } = moves.findLast(({ action }) => action === "publish") ??
    moves[0] ?? { why: "", by: "", at: "" };
  return { release, why, by, at };
}

function editsWait({ pinned, share, rollout }: Partial<ChannelRecord> = {}): ReleasesState["editsWait"] {
  if (pinned === true) return "pinned";
  return share === undefined || rollout === undefined ? null : "rolling";
}

interface Source {
  readonly isServed: boolean;
  readonly isTakenBack: boolean;
  readonly isRefused: boolean;
}

function editsState(
  record: ChannelRecord | undefined,
  { isServed, isTakenBack, isRefused }: Source,
): ReleasesState["edits"] {
  const isHeld = record?.proposal?.held !== undefined;
  if (record !== undefined && isServed && !isHeld) return "published";
  if (isRefused) return "refused";
  if (isHeld) return "held";
  if (isTakenBack) return "taken-back";
  return editsWait(record) ?? "unpublished";
}
