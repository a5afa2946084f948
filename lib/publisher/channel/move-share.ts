// A channel that serves a share of its workloads another release than the others.
import { defined, type JsonValue, jsonEqual } from "@outrigger/base";
import type { Share } from "@outrigger/serving";
import type { Decision } from "../commit/decision.ts";
import type { PublisherDependencies } from "../dependencies.ts";
import type { State } from "../records/read-state.ts";
import type { ChannelMove, ChannelRecord, PublisherRequest } from "../request/publisher-request.ts";
import { rolloutMessage } from "../rollout/assert-rollout.ts";
import type { RolloutPlan } from "../rollout/rollout.ts";
import { assertNotPinned, assertServable, assertServing, unknownChannel } from "./move-checks.ts";
import { endMessage, shareMessage } from "./move-message.ts";

export interface ShareMove {
  readonly request: PublisherRequest & { readonly action: "promote" };
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
  const move: ChannelMove = {
    action: "promote",
    release,
    at,
    ...cause,
    ...defined({ share: wanted, rollout, passedOver }),
  };
  const message =
    wanted === undefined ? endMessage(channel, record, dryRun) : shareMessage(channel, release, wanted, dryRun);
  return {
    change: isNew ? { kind: "channel", name: channel, move, pinned } : undefined,
    message: `${isNew ? message : `${message}, as before`}${rolloutMessage(rollout)}`,
    channel,
    release: wanted?.release ?? release,
  };
}

/** What was asked for, without when it began; null for no rollout. */
export function planOf(rollout: (RolloutPlan & { readonly since?: string }) | undefined): JsonValue {
  if (rollout === undefined) return null;
  const { since: _, ...plan } = rollout;
  return plan;
}
