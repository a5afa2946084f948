// One step of a rollout: the next share, or back to the channel's own release.
import { jsonEqual, OutriggerError } from "@outrigger/base";
import type { Share } from "@outrigger/serving";
import type { Decision } from "../commit/decision.ts";
import type { PublisherDependencies } from "../dependencies.ts";
import type { State } from "../records/read-state.ts";
import { recordOf } from "../records/record-of.ts";
import type { PublisherRequest } from "../request/parse-request.ts";
import { planAfter } from "../rollout/rollout.ts";
import { decideMove } from "./decide-move.ts";
import { assertNotPinned, assertServable } from "./move-checks.ts";
import { partedNets } from "./parted-nets.ts";

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
  const { release: next, origin } = await assertServable(share.release, dependencies);
  // What has a time to bake is watched once it is served to all, next to the release that it can go back to.
  const isLast = percent === 100 && (share.percent === 100 || rollout?.bake === undefined);
  const wanted = isLast
    ? { ...own, release: share.release, origin }
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
