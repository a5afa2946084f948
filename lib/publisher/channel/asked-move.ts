// What a request to move a channel asks for, on the state that it meets. Pure.
import { defined, entryOf, jsonEqual, OutriggerError } from "@outrigger/base";
import { type ChannelRecord, rollbackTarget } from "../records/channel-record.ts";
import { approved } from "../records/channel-settings.ts";
import type { State } from "../records/read-state.ts";
import { recordOf, unknownChannel } from "../records/record-of.ts";
import type { PublisherRequest } from "../request/parse-request.ts";
import { planOf, type Wanted } from "./decide-move.ts";
import { assertUnchanged } from "./move-checks.ts";

export type Move = PublisherRequest & { readonly action: "promote" | "rollback" | "pin" | "unpin" };

export type Promotion = Move & { readonly action: "promote" };

interface AskedOf<Request extends Move> {
  /** The request; an approved one as it was asked for first. */
  readonly request: Request;
  readonly channel: string;
  readonly record: ChannelRecord | undefined;
  /** The release that it is about. */
  readonly release: string;
  /** What the channel serves after it. */
  readonly wanted: Wanted;
}

/** A rollback, a pin, or the end of one. */
export interface AskedReturn extends AskedOf<Exclude<Move, Promotion>> {
  readonly kind: "return";
}

export interface AskedPromotion extends AskedOf<Promotion> {
  readonly kind: "promotion";
  /** Whether it is of less than all workloads, or takes a share back. */
  readonly isPart: boolean;
  /** Whether it waits for another person. */
  readonly needsApproval: boolean;
  /** Whether it ends a rollout as it was meant to end, or repeats the request that has begun it. */
  readonly isOfRollout: boolean;
}

/**
 * Returns what is asked for.
 *
 * | action   | release                                   | pinned after it |
 * |----------|-------------------------------------------|-----------------|
 * | promote  | that of the channel it is promoted from   | no              |
 * | rollback | the one before, or the one that is named; during a share the one that it has | yes |
 * | pin      | the one that it has, or the one that is named | yes         |
 * | unpin    | the one that it has                       | no              |
 *
 * @throws OutriggerError `channel-unknown`, `release-unknown` where there is no release before, `channel-moved` where it is not what was
 * seen, `channel-pinned` for a person who approves what they asked for
 */
export function askedMove(request: Move, state: State, now: Date): AskedReturn | AskedPromotion {
  return request.action === "promote" ? askedPromotion(request, state, now) : askedReturn(request, state);
}

function askedReturn(request: Exclude<Move, Promotion>, state: State): AskedReturn {
  const { action, channel } = request;
  const record = entryOf(state.channels, channel);
  const release = releaseFor(request, state);
  // A pin says nothing of a share.
  const { share, rollout } = action === "rollback" ? {} : (record ?? {});
  const wanted = { action, release, pinned: action !== "unpin", share, rollout };
  return { kind: "return", request, channel, record, release, wanted };
}

function askedPromotion(asking: Promotion, state: State, now: Date): AskedPromotion {
  const channel = asking.to;
  const record = entryOf(state.channels, channel);
  const request = asking.approve === true ? approvedRequest(asking, record, now) : asking;
  const release = request.approve === true ? (request.release as string) : promoted(request, state);
  const isFree = request.approve === true || request.share === 0 || record?.release === release;
  return {
    kind: "promotion",
    request,
    channel,
    record,
    release,
    wanted: wantedBy(request, release, record, state),
    isPart: isPart(request.share),
    needsApproval: record?.approval === true && !isFree,
    isOfRollout: isOfRollout(request, release, record),
  };
}

function wantedBy(request: Promotion, release: string, record: ChannelRecord | undefined, state: State): Wanted {
  const { to, share, rollout } = request;
  if (!isPart(share)) return { action: "promote", release, pinned: false };
  if (record === undefined) throw unknownChannel(to, state);
  const { release: own, pinned } = record;
  if (share === 0) return { action: "abort", release: own, pinned };
  return { action: "promote", release: own, pinned, share: { release, percent: share }, rollout };
}

function releaseFor(request: Exclude<Move, Promotion>, state: State): string {
  const named = "release" in request ? request.release : undefined;
  if (named !== undefined) return named;
  const record = recordOf(request.channel, state);
  return request.action === "rollback" ? rollbackTarget(request.channel, record) : record.release;
}

function isOfRollout({ share, rollout }: Promotion, release: string, record: ChannelRecord | undefined): boolean {
  if (share === 0) return true;
  if (!isPart(share)) return record?.share?.release === release;
  const isShared = jsonEqual(record?.share ?? null, { release, percent: share });
  return isShared && jsonEqual(planOf(record?.rollout), planOf(rollout));
}

function approvedRequest(request: Promotion, record: ChannelRecord | undefined, now: Date) {
  const { from, to, release, cause } = request;
  const proposal = approved(to, record ?? {}, { from, release, by: cause.by, now });
  const { share, rollout, serving } = proposal;
  const why = cause.why === "" ? proposal.why : cause.why;
  const by = `${proposal.by}, approved by ${cause.by}`;
  return { ...request, release: proposal.release, serving, ...defined({ share, rollout }), cause: { by, why } };
}

/** Returns the release that `from` serves, if that is what the request saw. */
function promoted(request: Promotion, state: State): string {
  const { release } = recordOf(request.from, state);
  assertUnchanged(request.fromChange, request.from, state);
  if (request.release === undefined || request.release === release) return release;
  const message = `Cannot promote ${request.release}: ${request.from} serves ${release} now; look at "outrigger diff ${request.to} ${request.from}" and ask again`;
  throw new OutriggerError("channel-moved", message, { path: request.from });
}

/** Whether a promotion is of less than all workloads; 0 takes the share back. */
function isPart(share: number | undefined): share is number {
  return share !== undefined && share < 100;
}
