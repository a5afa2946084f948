// That what was declared is served, that rollouts continue, or go back, and that rings follow, by themselves. Runs every minute; nothing
// depends on when.
import { defined } from "@outrigger/base";
import { settle } from "../commit/settle.ts";
import type { PublisherDependencies } from "../dependencies.ts";
import type { ChannelRecord } from "../records/channel-record.ts";
import { runPublisher } from "../run-publisher.ts";
import { judgeRollout, type RolloutEvidence } from "./judge-rollout.ts";
import { type RingRefusals, stepRing } from "./move-rings.ts";
import { readEvidence, type SeenEvidence, sharedWatch } from "./read-evidence.ts";
import { releaseSignals, type Signal } from "./signals.ts";
import type { Step } from "./step.ts";
import { type RolloutVerdict, wait } from "./verdict.ts";

/**
 * Finishes what a publisher that stopped has left, then looks at every rollout and every ring once, and makes its step where one is due. A
 * step that another call has made is made once.
 *
 * @param refusals promotions of rings that waited for a person at the looks before, where the caller remembers them
 */
export async function reconcileRollouts(dependencies: PublisherDependencies, refusals: RingRefusals = new Map()) {
  const settled = await settle(dependencies);
  const rolling = Object.entries(settled.channels).filter(([, { rollout }]) => rollout !== undefined);
  const stepped: Step[] = [];
  const shared = { ...dependencies, ...sharedWatch(dependencies) };
  for (const [channel, record] of rolling) {
    const change = settled.numbers[`channel/${channel}`];
    stepped.push(await step(channel, { ...record, ...defined({ change }) }, dependencies));
  }
  // A replica gets the moves of its primary.
  for (const channel of dependencies.primary === undefined ? Object.keys(settled.channels) : []) {
    const moved = await stepRing(channel, settled, refusals, shared);
    if (moved !== undefined) stepped.push(moved);
  }
  return { settled, stepped };
}

const UNDECIDED: RolloutVerdict = wait("it has no share");

async function step(channel: string, record: ChannelRecord, given: PublisherDependencies): Promise<Step> {
  const { release, share, rollout, change } = record;
  if (share === undefined || rollout === undefined) return { channel, verdict: UNDECIDED };
  const { alarms, since } = rollout;
  const { error, ...evidence } = await readEvidence(
    { alarms, next: share.release, own: release, since: Date.parse(since) },
    given,
  );
  const seen = { ...evidence, now: given.now().getTime() };
  const { verdict = UNDECIDED } = judgeShare(record, seen);
  if (verdict.kind === "wait")
    return error === undefined ? { channel, verdict } : { channel, verdict, result: { ok: false as const, error } };
  const direction = verdict.kind === "abort" ? "back" : "next";
  // One for each step: a call that is repeated, or made twice at once, makes it once.
  const id = `rollout-${channel}-${Date.parse(since)}-${direction}`;
  const cause = { by: "the rollout", why: verdict.why };
  const seenShare = { ...share, ...defined({ change }) };
  const result = await runPublisher({ action: "step-rollout", channel, direction, seen: seenShare, id, cause }, given);
  return { channel, verdict, result };
}

/** The evidence about a share. `pods` is left out if no cluster is seen. */
interface Evidence extends Pick<SeenEvidence, "states" | "counts">, Pick<RolloutEvidence, "now"> {
  /** The state of the share's pods, next to what they were before, and to the others. */
  readonly pods?: Pick<RolloutEvidence, "restarted"> & { readonly signals: readonly Signal[] };
}

/**
 * The measurements of a share's release, and what they and the rollout come to. Without a rollout a person decides: no verdict.
 *
 * @param evidence alarms and counts; what cannot be read lets nothing continue
 */
export function judgeShare(
  { share, rollout, pinned }: Pick<ChannelRecord, "share" | "rollout" | "pinned">,
  { states, counts, pods, now }: Evidence,
): { readonly signals: readonly Signal[] | undefined; readonly verdict?: RolloutVerdict } {
  const counted = counts?.length === 2 ? releaseSignals(counts[0], counts[1]) : counts;
  // What pods show is known although calls cannot be counted, but lets nothing continue alone.
  const isWorse = pods?.signals.some(({ verdict }) => verdict === "worse") === true;
  const signals = counted === undefined && !isWorse ? undefined : [...(counted ?? []), ...(pods?.signals ?? [])];
  const seen = { states, signals, share: share?.percent ?? 0, isPinned: pinned, now };
  const verdict = share && rollout && judgeRollout(rollout, { ...seen, ...defined({ restarted: pods?.restarted }) });
  return { signals, ...defined({ verdict }) };
}
