// What moves a channel without compiling anything: promote, to all workloads, to a share of them or as a proposal that another
// person approves; the next step of a rollout, or the one back; rollback, pin and unpin.
import { defined, entryOf, jsonEqual, OutriggerError } from "@outrigger/base";
import type { Share } from "@outrigger/serving";
import type { Decision } from "../commit/carry-out.ts";
import type { PublisherDependencies } from "../dependencies.ts";
import type { JudgedEffect } from "../effect/effects.ts";
import { effectsText, heldText } from "../effect/judge-edit.ts";
import { judgeMove } from "../effect/judge-move.ts";
import { type ChannelRecord, rollbackTarget } from "../records/channel-record.ts";
import { approved, assertApproved, isAsked, type Proposal, settingsOf } from "../records/channel-settings.ts";
import type { State } from "../records/read-state.ts";
import type { PublisherRequest } from "../request/parse-request.ts";
import { planAfter } from "../rollout/rollout.ts";
import { decideMove, planOf } from "./decide-move.ts";
import { assertNotPinned, assertNotRolling, assertServable, assertServing, recordOf } from "./move-checks.ts";
import { partedNets } from "./parted-nets.ts";

type Move = PublisherRequest & { readonly action: "promote" | "rollback" | "pin" | "unpin" };

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
 * @throws OutriggerError `channel-unknown`, `channel-moved`, `channel-pinned`, `edit-held`, `release-unknown`,
 * `release-unsupported` or `store-corrupt`
 */
export async function moveChannel(request: Move, state: State, dependencies: PublisherDependencies): Promise<Decision> {
  if (request.action === "promote") return promote(request, state, dependencies);
  const { action, channel } = request;
  const record = entryOf(state.channels, channel);
  const release = releaseFor(request, state);
  if (record !== undefined && action !== "unpin") assertApproved(channel, record, release);
  assertServing(request.serving, release, channel, record);
  const parted = partedNets(channel, await assertServable(release, dependencies), state);
  // A pin says nothing of a share.
  const { share, rollout } = action === "rollback" ? {} : (record ?? {});
  const wanted = { action, release, pinned: action !== "unpin", share, rollout };
  const move = { ...(await decideMove(channel, wanted, request, state, dependencies)), warnings: parted };
  // Going back must not wait, neither for a person nor for this answer: who asks first is told what it does.
  if (request.dryRun !== true) return move;
  return withEffects(move, await judgedUnheld(channel, release, state, dependencies), request);
}

/** Judges a move that nothing holds, and nothing keeps from being made: no fault of a release that is left may keep it served. */
async function judgedUnheld(...move: Parameters<typeof judgeMove>): ReturnType<typeof judgeMove> {
  try {
    const { effects, warnings } = await judgeMove(...move);
    return { effects: effects.map((effect) => ({ ...effect, isHeld: false })), warnings };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { effects: [], warnings: [`What changes for pods is not known: ${why}`] };
  }
}

function releaseFor(request: Exclude<Move, { readonly action: "promote" }>, state: State): string {
  const named = "release" in request ? request.release : undefined;
  if (named !== undefined) return named;
  const record = recordOf(request.channel, state);
  return request.action === "rollback" ? rollbackTarget(request.channel, record) : record.release;
}

type Promotion = PublisherRequest & { readonly action: "promote" };

/** Decides a promotion. On a channel that needs approval, it waits as a proposal, and an approved one is made as it was asked for. */
async function promote(request: Promotion, state: State, dependencies: PublisherDependencies): Promise<Decision> {
  const channel = request.to;
  const record = entryOf(state.channels, channel);
  const wanted = request.approve === true ? approvedRequest(request, record, dependencies) : request;
  const release = wanted.approve === true ? (wanted.release as string) : promoted(wanted, state);
  await assertRollout(wanted, dependencies);
  if (wanted.replace !== true && !isOfRollout(wanted, release, record)) {
    assertNotRolling(channel, record, `promote to ${channel}`, "use --force");
  }
  const { share, rollout } = wanted;
  const isFree = wanted.approve === true || share === 0 || record?.release === release;
  const isProposal = record?.approval === true && !isFree;
  assertServing(wanted.serving, isProposal || isPart(share) ? undefined : release, channel, record);
  if (share === 0) {
    const { release: own, pinned } = recordOf(channel, state);
    return decideMove(channel, { action: "abort", release: own, pinned }, wanted, state, dependencies);
  }
  if (wanted.unpin !== true) assertNotPinned(channel, record);
  const parted = partedNets(channel, await assertServable(release, dependencies), state, isPart(share));
  const effects = await judgeMove(channel, release, state, dependencies);
  const judged = { ...effects, warnings: [...parted, ...effects.warnings] };
  if (isProposal) return withEffects(propose(wanted, record, release, dependencies.now()), judged, wanted);
  // Another person, who was shown the same, has approved it.
  if (wanted.approve !== true) assertAccepted(wanted, release, record, judged.effects);
  const names = judged.effects.map(({ name }) => name);
  const published = names.length === 0 ? {} : { effects: names };
  if (!isPart(share)) {
    const whole = { action: "promote", release, pinned: false, published } as const;
    return withEffects(await decideMove(channel, whole, wanted, state, dependencies), judged, wanted);
  }
  const { release: own, pinned } = recordOf(channel, state);
  const part = { action: "promote", release: own, pinned, share: { release, percent: share }, rollout } as const;
  return withEffects(await decideMove(channel, { ...part, published }, wanted, state, dependencies), judged, wanted);
}

/**
 * Refuses a promotion that does to pods what the channel holds, until a person accepts it by its name.
 *
 * @throws OutriggerError `edit-held`
 */
function assertAccepted(
  { from, to, accept = [] }: Promotion,
  release: string,
  record: ChannelRecord | undefined,
  effects: readonly JudgedEffect[],
): void {
  const held = effects.filter(({ name, isHeld }) => isHeld && !accept.includes(name));
  if (held.length === 0 || record === undefined) return;
  const seen = { from, release, serving: record.release, command: `promote ${from} ${to}` };
  const message = `Cannot promote ${from} to ${to}: it would do what a person has to accept: ${heldText(to, held, seen)}`;
  throw new OutriggerError("edit-held", message, { path: to });
}

function withEffects(
  decision: Decision,
  { effects, warnings }: Awaited<ReturnType<typeof judgeMove>>,
  { dryRun = false }: Pick<Move, "dryRun">,
): Decision {
  const message = `${decision.message}${effectsText(effects)}`;
  return { ...decision, message, warnings: [...(decision.warnings ?? []), ...warnings], ...(dryRun && { effects }) };
}

/** Whether a promotion ends a rollout as it was meant to end, or repeats the request that has begun it. */
function isOfRollout({ share, rollout }: Promotion, release: string, record: ChannelRecord | undefined): boolean {
  if (share === 0) return true;
  if (!isPart(share)) return record?.share?.release === release;
  const isShared = jsonEqual(record?.share ?? null, { release, percent: share });
  return isShared && jsonEqual(planOf(record?.rollout), planOf(rollout));
}

function approvedRequest(request: Promotion, record: ChannelRecord | undefined, { now }: PublisherDependencies) {
  const { from, to, release, cause } = request;
  const proposal = approved(to, record ?? {}, { from, release, by: cause.by, now: now() });
  const { share, rollout, serving } = proposal;
  const why = cause.why === "" ? proposal.why : cause.why;
  const by = `${proposal.by}, approved by ${cause.by}`;
  return { ...request, release: proposal.release, serving, ...defined({ share, rollout }), cause: { by, why } };
}

/** Returns the release that `from` serves, if that is what the request saw. */
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

function propose(request: Promotion, record: ChannelRecord, release: string, now: Date): Decision {
  const { from, to: channel, share, rollout, cause } = request;
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

/** @throws OutriggerError `usage` for a plan without a share, and for an alarm that does not exist or is up */
async function assertRollout({ share, rollout, to }: Promotion, { alarmStates }: PublisherDependencies): Promise<void> {
  if (rollout === undefined) return;
  const refuse = (why: string) => new OutriggerError("usage", `Cannot begin a rollout of ${to}: ${why}`, { path: to });
  if (share === undefined || share < 1 || share > 99)
    throw refuse("a rollout begins with a share of 1 to 99 percent (--share)");
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

type Step = PublisherRequest & { readonly action: "step-rollout" };

/**
 * One step of a rollout: the next share, or back to the channel's own release for all.
 *
 * @throws OutriggerError `channel-unknown`; `channel-moved` where the share is another one by now, or the channel was changed since;
 * `channel-pinned` for a step forward; `usage` where there is no share, or no step after it
 */
export async function stepRollout(request: Step, state: State, dependencies: PublisherDependencies): Promise<Decision> {
  const { channel, direction, seen } = request;
  const record = recordOf(channel, state);
  const { release, share, rollout, pinned } = record;
  if (share === undefined) {
    if (direction === "next") throw seen === undefined ? noStep(channel) : moved(channel, undefined, false);
    // A share that is gone is what going back is for.
    return { message: `${channel} serves ${release} to all workloads, as before`, channel, release };
  }
  const { change, ...seenShare }: NonNullable<Step["seen"]> = seen ?? share;
  const isChanged = change !== undefined && change !== state.numbers[`channel/${channel}`];
  if (isChanged || !jsonEqual({ ...seenShare }, { ...share })) throw moved(channel, share, isChanged);
  if (direction === "back") {
    return decideMove(channel, { action: "abort", release, pinned }, request, state, dependencies);
  }
  const own = { action: "promote", release, pinned } as const;
  const percent = share.percent === 100 ? 100 : rollout?.next[0];
  if (percent === undefined) throw noStep(channel);
  assertNotPinned(channel, record);
  const next = await assertServable(share.release, dependencies);
  // What has a time to bake is watched once it is served to all, next to the release that it can go back to.
  const isLast = percent === 100 && (share.percent === 100 || rollout?.bake === undefined);
  const wanted = isLast
    ? { ...own, release: share.release }
    : { ...own, share: { ...share, percent }, rollout: rollout && planAfter(rollout, percent) };
  const warnings = partedNets(channel, next, state, !isLast);
  return { ...(await decideMove(channel, wanted, request, state, dependencies)), warnings };
}

function moved(channel: string, share: Share | undefined, isChanged: boolean): OutriggerError {
  const now = share === undefined ? "one release to all workloads" : `${share.release} to ${share.percent} %`;
  const since = isChanged ? ", since a change that was not seen" : " by now";
  const message = `Cannot move the rollout of ${channel}: it serves ${now}${since}; look at "outrigger rollout status ${channel}" and ask again`;
  return new OutriggerError("channel-moved", message, { path: channel });
}

function noStep(channel: string): OutriggerError {
  const message = `Cannot move ${channel} on: no rollout with another step is under way; use "outrigger promote FROM ${channel} --share PERCENT"`;
  return new OutriggerError("usage", message, { path: channel });
}
