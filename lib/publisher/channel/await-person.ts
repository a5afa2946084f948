// What of a promotion waits for a person: for one who accepts what it does to pods, or, on a channel that needs approval, for another one.
import { defined, jsonEqual, OutriggerError } from "@outrigger/base";
import type { Decision } from "../commit/decision.ts";
import type { JudgedEffect } from "../effect/effects.ts";
import { heldText } from "../effect/say-effects.ts";
import type { ChannelRecord } from "../records/channel-record.ts";
import { isAsked, type Proposal, settingsOf } from "../records/channel-settings.ts";
import type { AskedPromotion, Promotion } from "./asked-move.ts";

/**
 * Returns the proposal that a promotion becomes where another person must approve it; undefined where it is made now.
 *
 * @throws OutriggerError `edit-held`
 */
export function awaitPerson(asked: AskedPromotion, effects: readonly JudgedEffect[], now: Date): Decision | undefined {
  const { request, record, release, needsApproval } = asked;
  if (record !== undefined && needsApproval) return propose(request, record, release, now);
  // Another person, who was shown the same, has approved it.
  if (request.approve !== true) assertAccepted(asked, effects);
  return undefined;
}

/** A proposal is written once, however often it is asked for. */
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

/**
 * Refuses a promotion that does to pods what the channel holds, until a person accepts it by its name.
 *
 * @throws OutriggerError `edit-held`
 */
function assertAccepted({ request, record, release }: AskedPromotion, effects: readonly JudgedEffect[]): void {
  const { from, to, accept = [] } = request;
  const held = effects.filter(({ name, isHeld }) => isHeld && !accept.includes(name));
  if (held.length === 0 || record === undefined) return;
  const seen = { from, release, serving: record.release, command: `promote ${from} ${to}` };
  const message = `Cannot promote ${from} to ${to}: it would do what a person has to accept: ${heldText(to, held, seen)}`;
  throw new OutriggerError("edit-held", message, { path: to });
}
