// What moves a channel without compiling anything: promote, to all workloads, to a share of them or as a proposal that another
// person approves; rollback, pin and unpin.
import { defined, entryOf, type JsonValue, jsonEqual, OutriggerError } from "@outrigger/base";
import type { Share } from "@outrigger/serving";
import type { Decision } from "../commit/carry-out.ts";
import type { PublisherDependencies } from "../dependencies.ts";
import { rollbackTarget } from "../records/channel-record.ts";
import { approved, assertApproved, isAsked, type Proposal, settingsOf } from "../records/channel-settings.ts";
import type { State } from "../records/read-state.ts";
import type { ChannelMove, ChannelRecord, PublisherRequest } from "../request/publisher-request.ts";
import { durationText, type RolloutPlan } from "../rollout/rollout.ts";
import {
  assertNotPinned,
  assertNotRolling,
  assertServable,
  assertServing,
  endMessage,
  moveMessage,
  passedOverMessage,
  passedTree,
  pinMessage,
  recordOf,
  shareMessage,
  unknownChannel,
} from "./move-checks.ts";

/**
 * Moves a channel to a release that is there already.
 *
 * | action   | release                                   | pinned after it |
 * |----------|-------------------------------------------|-----------------|
 * | promote  | that of the channel it is promoted from   | no              |
 * | rollback | the one before, or the one that is named; during a share the one that it has | yes |
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
  return moveWhole(request, { channel: request.channel, record, release }, state, dependencies);
}

function releaseFor(request: Exclude<Move, { readonly action: "promote" }>, state: State): string {
  const named = "release" in request ? request.release : undefined;
  if (named !== undefined) return named;
  const record = recordOf(request.channel, state);
  return request.action === "rollback" ? rollbackTarget(request.channel, record) : record.release;
}

type Promotion = PublisherRequest & { readonly action: "promote" };

/** On a channel that needs approval, what is asked for waits, and what is approved is made as it was asked for. */
async function promote(request: Promotion, state: State, dependencies: PublisherDependencies): Promise<Decision> {
  const channel = request.to;
  const record = entryOf(state.channels, channel);
  const wanted = request.approve === true ? approvedRequest(request, record, dependencies) : request;
  const release = wanted.approve === true ? (wanted.release as string) : promoted(wanted, state);
  await assertRollout(wanted, dependencies);
  if (wanted.replace !== true && !isOfRollout(wanted, release, record)) {
    assertNotRolling(channel, record, { what: `promote to ${channel}`, way: "use --force" });
  }
  const isFree = wanted.approve === true || wanted.share === 0 || record?.release === release;
  if (record?.approval === true && !isFree) return propose(wanted, { channel, record, release }, dependencies);
  if (isPart(wanted.share)) {
    return moveShare({ request: wanted, share: { release, percent: wanted.share }, record }, state, dependencies);
  }
  return moveWhole(wanted, { channel, record, release }, state, dependencies);
}

/** Whether a promotion ends a rollout as it was meant to end, or repeats the request that has begun it. */
function isOfRollout({ share, rollout }: Promotion, release: string, record: ChannelRecord | undefined): boolean {
  if (share === 0) return true;
  if (!isPart(share)) return record?.share?.release === release;
  return (
    jsonEqual(record?.share ?? null, { release, percent: share }) && jsonEqual(planOf(record?.rollout), planOf(rollout))
  );
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

/** What `from` serves, where that is what the request saw. */
function promoted(request: Promotion, state: State): string {
  const { release } = recordOf(request.from, state);
  if (request.release === undefined || request.release === release) return release;
  const message = `Cannot promote ${request.release}: ${request.from} serves ${release} now; look at "outrigger diff ${request.to} ${request.from}" and ask again`;
  throw new OutriggerError("channel-moved", message, { path: request.from });
}

/** Whether a promotion is of less than all workloads; 0 takes the share back. */
function isPart(share: number | undefined): share is number {
  return share !== undefined && share < 100;
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
  const now = dependencies.now();
  const at = now.toISOString();
  const serving = record.release;
  const proposal: Proposal = { from, release, serving, ...defined({ share, rollout }), ...cause, at };
  const isNew = !isAsked(record.proposal, now) || !jsonEqual({ ...record.proposal, at }, proposal);
  const what = share === undefined ? release : `${release} to ${share} % of the workloads`;
  return {
    change: isNew ? { kind: "channel", name: channel, settings: { ...settingsOf(record), proposal } } : undefined,
    message: `${channel} continues serving ${serving} until another person approves ${what}: outrigger promote ${from} ${channel} --approve`,
    channel,
    release,
  };
}

interface ShareMove {
  readonly request: Promotion;
  readonly share: Share;
  readonly record: ChannelRecord | undefined;
}

/** Serves a share of a channel's workloads another release, or takes that back. The channel's own release stays. */
export async function moveShare(
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
  const { passedOver } = record.history[0] ?? {};
  const more = defined({ share: wanted, rollout, passedOver });
  const move: ChannelMove = { action: "promote", release, at, ...cause, ...more };
  const message =
    wanted === undefined ? endMessage(channel, record, dryRun) : shareMessage(channel, release, wanted, dryRun);
  return {
    change: isNew ? { kind: "channel", name: channel, move, pinned } : undefined,
    message: `${isNew ? message : `${message}, as before`}${wanted && pinned ? pinMessage(record, pinned) : ""}${rolloutMessage(rollout)}`,
    channel,
    release: wanted?.release ?? release,
  };
}

/** What was asked for, without when it began; null for no rollout. */
function planOf(rollout: (RolloutPlan & { readonly since?: string }) | undefined): JsonValue {
  if (rollout === undefined) return null;
  const { since: _, ...plan } = rollout;
  return plan;
}

type Move = PublisherRequest & { readonly action: "promote" | "rollback" | "pin" | "unpin" };

/** What a move leads to. */
interface Target {
  readonly channel: string;
  readonly record: ChannelRecord | undefined;
  readonly release: string;
}

/** The release is served to all workloads: a share ends, except by a pin, which says nothing of it. */
async function moveWhole(
  request: Move,
  { channel, record, release }: Target,
  state: State,
  dependencies: PublisherDependencies,
): Promise<Decision> {
  assertServing(request.serving, release, channel, record);
  if (request.action === "promote" && request.unpin !== true) assertNotPinned(channel, record);
  await assertServable(release, dependencies);
  const pinned = request.action === "rollback" || request.action === "pin";
  const share = request.action === "pin" || request.action === "unpin" ? record?.share : undefined;
  const rollout = share === undefined ? undefined : record?.rollout;
  const isNew =
    record?.release !== release || record.pinned !== pinned || !jsonEqual(record.share ?? null, share ?? null);
  const at = dependencies.now().toISOString();
  // What is pinned takes no edit, whatever the tree: it is looked at when the channel is unpinned.
  const passedOver = pinned || !isNew ? undefined : await passedTree(channel, release, state, dependencies);
  const more = defined({ share, rollout, passedOver });
  const move: ChannelMove = { action: request.action, release, at, ...request.cause, ...more };
  const message = messageOf(request, { channel, record, release }, share);
  return {
    change: isNew ? { kind: "channel", name: channel, move, pinned } : undefined,
    message: `${message}${pinMessage(record, pinned)}${passedOverMessage(passedOver)}`,
    channel,
    release,
  };
}

function messageOf({ action, dryRun = false }: Move, { channel, record, release }: Target, share: Share | undefined) {
  const isTakenBack = record?.release === release && record.share !== undefined && share === undefined;
  if (!isTakenBack) return moveMessage(channel, record, release, dryRun);
  const further = action === "rollback" ? ` (to go back further, run "outrigger rollback ${channel}" again)` : "";
  return `${endMessage(channel, record, dryRun)}${further}`;
}

/** @throws OutriggerError `usage` for a plan without a share, and for an alarm that does not exist or is up */
async function assertRollout({ share, rollout, to }: Promotion, { alarmStates }: PublisherDependencies): Promise<void> {
  if (rollout === undefined) return;
  const refuse = (why: string) => new OutriggerError("usage", `Cannot begin a rollout of ${to}: ${why}`, { path: to });
  if (share === undefined || share < 1 || share > 99) {
    throw refuse("a rollout begins with a share of 1 to 99 percent (--share)");
  }
  const [next] = rollout.next;
  if (next !== undefined && next <= share)
    throw refuse(`its next share, ${next}, must be more than the first, ${share}`);
  if (rollout.alarms.length === 0) return;
  if (alarmStates === undefined) throw refuse("this publisher reads no alarms; leave --abort-on out");
  const states = await alarmStates(rollout.alarms);
  for (const alarm of rollout.alarms) {
    if (states[alarm] === undefined) throw refuse(`there is no alarm ${alarm} in this account and Region`);
    if (states[alarm] === "ALARM") throw refuse(`alarm ${alarm} is up already`);
  }
}

/** What happens to a share by itself, for the answer. */
function rolloutMessage(rollout: RolloutPlan | undefined): string {
  if (rollout === undefined) return "";
  const { next, bake, alarms, restart } = rollout;
  const shares = next.map((percent) => `${percent} %`).join(", ");
  const when = restart === true ? "when the pods before have been good for" : "every";
  const steps = bake === undefined || next.length === 0 ? "" : `; ${shares} ${when} ${durationText(bake)}`;
  return alarms.length === 0 ? steps : `${steps}; taken back if an alarm is up: ${alarms.join(", ")}`;
}
