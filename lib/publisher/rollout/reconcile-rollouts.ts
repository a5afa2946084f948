// That what was declared is served, and that rollouts continue, or go back, by themselves. Runs every minute; nothing depends on when.
import { defined } from "@outrigger/base";
import { settle } from "../commit/settle.ts";
import type { PublisherDependencies } from "../dependencies.ts";
import type { ChannelRecord } from "../records/channel-record.ts";
import { errorOf } from "../request/publisher-result.ts";
import { runPublisher } from "../run-publisher.ts";
import { judgeRollout, type RolloutEvidence, type RolloutVerdict } from "./judge-rollout.ts";
import type { AlarmStates } from "./rollout.ts";
import { type ReleaseCounts, releaseSignals, type Signal } from "./signals.ts";

/**
 * Finishes what a publisher that stopped has left, then looks at every rollout once, and makes its step where one is due. A step
 * that another call has made is made once.
 */
export async function reconcileRollouts(dependencies: PublisherDependencies) {
  const settled = await settle(dependencies);
  const rolling = Object.entries(settled.channels).filter(([, { rollout }]) => rollout !== undefined);
  const stepped: Awaited<ReturnType<typeof step>>[] = [];
  for (const [channel, record] of rolling) {
    const change = settled.numbers[`channel/${channel}`];
    stepped.push(await step(channel, { ...record, ...defined({ change }) }, dependencies));
  }
  return { settled, stepped };
}

const UNDECIDED: RolloutVerdict = { kind: "wait", why: "it has no share" };

/** The step of a rollout, if one is due: without a result where it waits. */
async function step(channel: string, record: ChannelRecord, given: PublisherDependencies) {
  const { release, share, rollout, change } = record;
  if (share === undefined || rollout === undefined) return { channel, verdict: UNDECIDED };
  const { alarms, since } = rollout;
  const { alarmStates, countRelease } = given;
  const states = await unlessRefused<AlarmStates | undefined>(async () =>
    alarms.length === 0 ? {} : alarmStates?.(alarms),
  );
  const counts = await unlessRefused<Evidence["counts"]>(async () => {
    // Where nothing counts, as on a laptop, nothing is judged.
    if (countRelease === undefined) return [];
    const begun = Date.parse(since);
    return Promise.all([
      countRelease({ release: share.release, since: begun }),
      countRelease({ release, since: begun }),
    ]);
  });
  const seen = { states: states.value, counts: counts.value, now: given.now().getTime() };
  const { verdict = UNDECIDED } = judgeShare(record, seen);
  const error = states.error ?? counts.error;
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

/** Reads from outside, and returns the value, or the error for which it cannot be read. */
async function unlessRefused<Value>(read: () => Promise<Value>) {
  try {
    return { value: await read() };
  } catch (error) {
    return { error: errorOf(error) };
  }
}

/** The evidence about a share. `pods` is left out if no cluster is seen. */
interface Evidence extends Pick<RolloutEvidence, "states" | "now"> {
  /**
   * The counts of the share's release and of the channel's own since the share began. They are empty if nothing counts,
   * and undefined if they cannot be read.
   */
  readonly counts: readonly [share: ReleaseCounts, own: ReleaseCounts] | readonly [] | undefined;
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
