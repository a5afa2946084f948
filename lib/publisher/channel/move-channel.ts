// What moves a channel without compiling anything: promote, rollback, pin, unpin, and removing it.
import { defined, type JsonValue, jsonEqual, OutriggerError } from "@outrigger/base";
import { loadRelease } from "@outrigger/injector";
import type { Share } from "@outrigger/serving";
import type { Decision } from "../commit/carry-out.ts";
import type { PublisherDependencies } from "../dependencies.ts";
import { releaseBefore } from "../records/channel-record.ts";
import { approved, assertApproved, type Proposal } from "../records/channel-settings.ts";
import { entryOf } from "../records/read-records.ts";
import type { State } from "../records/read-state.ts";
import { readRelease } from "../release/release-parameters.ts";
import type { ChannelMove, ChannelRecord, PublisherRequest } from "../request/publisher-request.ts";
import { assertRollout, rolloutMessage } from "../rollout/assert-rollout.ts";
import type { Rollout } from "../rollout/rollout.ts";

type Move = PublisherRequest & { readonly action: "promote" | "rollback" | "pin" | "unpin" };

/**
 * Moves a channel to a release that is there already.
 *
 * | action   | release                                   | pinned after it |
 * |----------|-------------------------------------------|-----------------|
 * | promote  | that of the channel it is promoted from   | no              |
 * | rollback | the one before, or the one that is named  | yes             |
 * | pin      | the one that it has, or the one that is named | yes         |
 * | unpin    | the one that it has                       | no              |
 *
 * @throws OutriggerError `channel-unknown`, `channel-moved`, `channel-pinned`, `release-unknown`, `release-unsupported` or
 * `store-corrupt`
 */
export async function moveChannel(request: Move, state: State, dependencies: PublisherDependencies): Promise<Decision> {
  if (request.action === "promote") return promote(request, state, dependencies);
  const record = entryOf(state.channels, request.channel);
  const release = releaseFor(request, state);
  if (record !== undefined && request.action !== "unpin") assertApproved(request.channel, record, release);
  return moveWhole(request, { channel: request.channel, record, release }, dependencies);
}

type Promotion = Extract<Move, { readonly action: "promote" }>;

/** On a channel that needs approval, what is asked for waits, and what is approved is made as it was asked for. */
async function promote(request: Promotion, state: State, dependencies: PublisherDependencies): Promise<Decision> {
  const channel = request.to;
  const record = entryOf(state.channels, channel);
  const wanted = request.approve === true ? approvedRequest(request, record, dependencies) : request;
  const release = wanted.approve === true ? (wanted.release as string) : releaseFor(wanted, state);
  await assertRollout(wanted, dependencies);
  const isFree = wanted.approve === true || wanted.share === 0 || record?.release === release;
  if (record?.approval === true && !isFree) return propose(wanted, { channel, record, release }, dependencies);
  if (isPart(wanted.share)) {
    return moveShare({ request: wanted, share: { release, percent: wanted.share }, record }, state, dependencies);
  }
  return moveWhole(wanted, { channel, record, release }, dependencies);
}

function approvedRequest(
  request: Promotion,
  record: ChannelRecord | undefined,
  { now }: PublisherDependencies,
): Promotion {
  const { from, to, release, cause } = request;
  const proposal = approved(to, record ?? {}, { from, release, by: cause.by, now: now() });
  const { share, rollout, serving } = proposal;
  const why = cause.why === "" ? proposal.why : cause.why;
  return {
    ...request,
    release: proposal.release,
    serving,
    ...defined({ share, rollout }),
    cause: { by: `${proposal.by}, approved by ${cause.by}`, why },
  };
}

interface Target {
  readonly channel: string;
  readonly record: ChannelRecord | undefined;
  readonly release: string;
}

async function propose(
  request: Promotion,
  { channel, record, release }: Target & { readonly record: ChannelRecord },
  dependencies: PublisherDependencies,
): Promise<Decision> {
  assertServing(request.serving, undefined, channel, record);
  if (request.unpin !== true) assertNotPinned(channel, record);
  await assertServable(release, dependencies);
  const { from, share, rollout, cause } = request;
  const at = dependencies.now().toISOString();
  const serving = record.release;
  const proposal: Proposal = { from, release, serving, ...defined({ share, rollout }), ...cause, at };
  const { at: _, ...asked } = record.proposal ?? { at };
  const { at: __, ...asks } = proposal;
  const isNew = !jsonEqual(asked, asks);
  const what = share === undefined ? release : `${release} to ${share} % of the workloads`;
  return {
    change: isNew ? { kind: "channel", name: channel, settings: { approval: true, proposal } } : { kind: "none" },
    message: `${channel} goes on serving ${serving} until another person approves ${what}: outrigger promote ${from} ${channel} --approve`,
    channel,
    release,
  };
}

async function moveWhole(
  request: Move,
  { channel, record, release }: Target,
  dependencies: PublisherDependencies,
): Promise<Decision> {
  assertServing(request.serving, release, channel, record);
  if (request.action === "promote" && request.unpin !== true) assertNotPinned(channel, record);
  await assertServable(release, dependencies);
  const pinned = request.action === "rollback" || request.action === "pin";
  // A pin says nothing of a share: what ends it is a release for all.
  const share = request.action === "pin" || request.action === "unpin" ? record?.share : undefined;
  const rollout = share === undefined ? undefined : record?.rollout;
  const isSame =
    record?.release === release && record.pinned === pinned && jsonEqual(record.share ?? null, share ?? null);
  const isNew = !isSame;
  const at = dependencies.now().toISOString();
  const move: ChannelMove = { action: request.action, release, at, ...request.cause, ...defined({ share, rollout }) };
  const message = moveMessage(channel, record, release, request.dryRun === true);
  return {
    change: isNew ? { kind: "channel", name: channel, move, pinned } : { kind: "none" },
    message: `${message}${pinMessage(record, pinned)}`,
    channel,
    release,
  };
}

/** Whether a promotion is of less than all workloads; 0 takes the share back. */
function isPart(share: number | undefined): share is number {
  return share !== undefined && share < 100;
}

interface ShareMove {
  readonly request: Promotion;
  readonly share: Share;
  readonly record: ChannelRecord | undefined;
}

/** Serves a share of a channel's workloads another release, or takes that back. The channel's own release stays. */
async function moveShare(
  { request, share, record }: ShareMove,
  state: State,
  dependencies: PublisherDependencies,
): Promise<Decision> {
  const { to: channel, cause, dryRun = false } = request;
  if (record === undefined) throw unknownChannel(channel, state);
  assertServing(request.serving, undefined, channel, record);
  const { release, pinned } = record;
  const wanted = share.percent === 0 ? undefined : share;
  if (wanted !== undefined) {
    if (request.unpin !== true) assertNotPinned(channel, record);
    await assertServable(wanted.release, dependencies);
  }
  const at = dependencies.now().toISOString();
  const rollout = wanted === undefined || request.rollout === undefined ? undefined : { ...request.rollout, since: at };
  const isNew = !jsonEqual(record.share ?? null, wanted ?? null) || !jsonEqual(planOf(record.rollout), planOf(rollout));
  const move: ChannelMove = { action: "promote", release, at, ...cause, ...defined({ share: wanted, rollout }) };
  const would = dryRun ? "would serve" : "serves";
  const message =
    wanted === undefined
      ? `${channel} ${would} ${release} to all workloads`
      : `${channel} ${would} ${wanted.release} to ${wanted.percent} % of the workloads, and ${release} to the others`;
  return {
    change: isNew ? { kind: "channel", name: channel, move, pinned } : { kind: "none" },
    message: `${isNew ? message : `${message}, as before`}${rolloutMessage(rollout)}`,
    channel,
    release: wanted?.release ?? release,
  };
}

function planOf(rollout: Rollout | undefined): JsonValue {
  if (rollout === undefined) return null;
  const { since: _, ...plan } = rollout;
  return plan;
}

/** Removes a channel that no cluster is served from. A channel that does not exist is no error. */
export function removeChannel(
  { channel, serving, dryRun = false }: PublisherRequest & { readonly action: "remove-channel" },
  state: State,
  { layout }: PublisherDependencies,
): Decision {
  const record = entryOf(state.channels, channel);
  const isThere = record !== undefined || state.unreadable.channels.includes(channel);
  if (record !== undefined) assertServing(serving, undefined, channel, record);
  const users = Object.entries(state.clusters).filter(([, { revisions }]) =>
    Object.values(revisions).includes(channel),
  );
  if (users.length > 0 || state.unreadable.clusters.length > 0) {
    const names = [...users.map(([name]) => name), ...state.unreadable.clusters].slice(0, 5).join(", ");
    throw new OutriggerError(
      "channel-unknown",
      `Cannot remove channel ${channel}: clusters are served from it (${names}); give them another with "outrigger clusters set"`,
      { path: layout.channel(channel) },
    );
  }
  if (!isThere) return { change: { kind: "none" }, message: `There is no channel ${channel}`, channel };
  const message = `${channel} ${dryRun ? "would be" : "is"} removed`;
  return { change: { kind: "channel", name: channel, record: null }, message, channel };
}

/** `stable serves 1f2e… now (77aa… before)`. */
export function moveMessage(channel: string, before: ChannelRecord | undefined, release: string, dryRun: boolean) {
  if (before?.release === release) return `${channel} serves ${release}, as before`;
  const was = before === undefined ? "a new channel" : `${before.release} before`;
  return dryRun ? `${channel} would serve ${release} (${was})` : `${channel} serves ${release} now (${was})`;
}

/** Whether edits move the channel from now on, where that is worth a word. */
export function pinMessage(before: ChannelRecord | undefined, pinned: boolean): string {
  if (pinned) return ", pinned";
  return before?.pinned === true ? ", not pinned any more" : "";
}

/**
 * Refuses a move whose beginning no longer holds: another person or pipeline has moved the channel meanwhile. A channel
 * that serves the wanted release already is where the request wants it.
 *
 * @param serving what the requester saw: a release, or null for no channel; undefined for a requester that did not look
 */
export function assertServing(
  serving: string | null | undefined,
  wanted: string | undefined,
  channel: string,
  record: ChannelRecord | undefined,
): void {
  const current = record?.release ?? null;
  if (serving === undefined || current === serving || (wanted !== undefined && current === wanted)) return;
  const [last] = record?.history ?? [];
  const who = last === undefined ? "" : ` (${last.action} by ${last.by}, ${last.at})`;
  const message = `Cannot move ${channel}: it serves ${current ?? "nothing"}${who}, and not ${serving ?? "nothing"} as when you asked; look at "outrigger channel ${channel}" and ask again`;
  throw new OutriggerError("channel-moved", message, { path: channel });
}

/** Refuses to move a pinned channel by anything but a rollback, a pin, or a request that says so. */
export function assertNotPinned(channel: string, record: ChannelRecord | undefined): void {
  if (record?.pinned !== true) return;
  const [last] = record.history;
  const who =
    last === undefined ? "" : ` (${last.action} by ${last.by}, ${last.at}${last.why === "" ? "" : `: ${last.why}`})`;
  const message = `Cannot move ${channel}: it is pinned to ${record.release}${who}; run "outrigger unpin ${channel}" first, or use --unpin`;
  throw new OutriggerError("channel-pinned", message, { path: channel });
}

function releaseFor(request: Move, state: State): string {
  if (request.action === "promote") {
    const { release } = recordOf(request.from, state);
    if (request.release === undefined || request.release === release) return release;
    const message = `Cannot promote ${request.release}: ${request.from} serves ${release} now; look at "outrigger diff ${request.to} ${request.from}" and ask again`;
    throw new OutriggerError("channel-moved", message, { path: request.from });
  }
  const named = "release" in request ? request.release : undefined;
  if (named !== undefined) return named;
  const record = recordOf(request.channel, state);
  if (request.action !== "rollback") return record.release;
  const before = releaseBefore(record);
  if (before !== undefined) return before;
  throw nothingBefore(request.channel, record.release);
}

/** Why a channel cannot be rolled back any further. */
export function nothingBefore(channel: string, release: string): OutriggerError {
  const message = `Cannot roll back ${channel}: its history holds no release before ${release}; name one (outrigger releases)`;
  return new OutriggerError("release-unknown", message, { path: channel });
}

function recordOf(channel: string, state: State): ChannelRecord {
  const record = entryOf(state.channels, channel);
  if (record === undefined) throw unknownChannel(channel, state);
  return record;
}

/** The error for a channel that does not exist, with those that do. */
export function unknownChannel(channel: string, { channels, unreadable }: State): OutriggerError {
  const known = Object.keys(channels).join(", ") || "none yet: publish first";
  const broken = unreadable.channels.includes(channel) ? "its record cannot be read" : "there is none of that name";
  return new OutriggerError("channel-unknown", `Cannot use channel ${channel}: ${broken}; channels are ${known}`, {
    path: channel,
  });
}

/** A release is tried before it is served, because another version of Outrigger may have compiled it. */
export async function assertServable(digest: string, dependencies: PublisherDependencies): Promise<void> {
  const { release } = await readRelease(dependencies.store, dependencies.layout, digest);
  (dependencies.load ?? loadRelease)(release);
}
