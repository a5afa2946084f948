// That what was declared is served, and that rollouts continue, or go back, by themselves. Runs every minute; nothing depends on when.
import { defined } from "@outrigger/base";
import { type Settled, settle } from "../commit/settle.ts";
import type { PublisherDependencies } from "../dependencies.ts";
import {
  type ChannelRecord,
  errorOf,
  type PublisherError,
  type PublisherResult,
} from "../request/publisher-request.ts";
import { runPublisher } from "../run-publisher.ts";
import { type AlarmStates, judgeRollout, type Rollout, type RolloutVerdict } from "./rollout.ts";
import { type ReleaseCounts, releaseSignals, type Signal } from "./signals.ts";

interface SteppedRollout {
  readonly channel: string;
  readonly verdict: RolloutVerdict;
  /** Undefined where the rollout waits. */
  readonly result?: PublisherResult;
}

interface Look {
  readonly settled: Settled;
  readonly stepped: readonly SteppedRollout[];
}

/**
 * Finishes what a publisher that stopped has left, then looks at every rollout once, and makes its step where one is due. A step
 * that another call has made is made once.
 */
export async function reconcileRollouts(dependencies: PublisherDependencies): Promise<Look> {
  const settled = await settle(dependencies);
  const rolling = Object.entries(settled.channels).filter(([, { rollout }]) => rollout !== undefined);
  const stepped: SteppedRollout[] = [];
  for (const [channel, record] of rolling) {
    const change = settled.numbers[`channel/${channel}`];
    stepped.push(await step(channel, { ...record, ...defined({ change }) }, dependencies));
  }
  return { settled, stepped };
}

const UNDECIDED: RolloutVerdict = { kind: "wait", why: "it has no share" };

async function step(
  channel: string,
  record: ChannelRecord,
  dependencies: PublisherDependencies,
): Promise<SteppedRollout> {
  const { release, share, rollout, change } = record;
  if (share === undefined || rollout === undefined) return { channel, verdict: UNDECIDED };
  const { states, error: unread } = await readStates(rollout.alarms, dependencies);
  const { counts, error: uncounted } = await readCounts([share.release, release], rollout, dependencies);
  const error = unread ?? uncounted;
  const { verdict = UNDECIDED } = judgeShare(record, { states, counts, now: dependencies.now().getTime() });
  if (verdict.kind === "wait") {
    return error === undefined ? { channel, verdict } : { channel, verdict, result: { ok: false, error } };
  }
  const direction = verdict.kind === "abort" ? "back" : "next";
  // One for each step: a call that is repeated, or made twice at once, makes it once.
  const id = `rollout-${channel}-${Date.parse(rollout.since)}-${direction}`;
  const cause = { by: "the rollout", why: verdict.why };
  const result = await runPublisher(
    { action: "step-rollout", channel, direction, seen: { ...share, ...defined({ change }) }, id, cause },
    dependencies,
  );
  return { channel, verdict, result };
}

async function readStates(names: readonly string[], { alarmStates }: PublisherDependencies) {
  try {
    const states: AlarmStates | undefined = names.length === 0 ? {} : await alarmStates?.(names);
    return { states, error: undefined };
  } catch (error) {
    return { states: undefined, error: errorOf(error) };
  }
}

/** Where nothing counts, as on a laptop, nothing is judged. */
async function readCounts(
  [share, own]: readonly [string, string],
  { since }: Rollout,
  { countRelease }: PublisherDependencies,
): Promise<Pick<Evidence, "counts"> & { readonly error?: PublisherError }> {
  if (countRelease === undefined) return { counts: [] };
  try {
    const begun = Date.parse(since);
    return { counts: await Promise.all([countRelease(share, begun), countRelease(own, begun)]) };
  } catch (error) {
    return { counts: undefined, error: errorOf(error) };
  }
}

/** What is known of a share. */
interface Evidence {
  /** Of the rollout's alarms; undefined where they cannot be read. */
  readonly states: AlarmStates | undefined;
  /** What the share's release and the channel's own did since the share began; empty where nothing counts, undefined where the counts cannot be read. */
  readonly counts: readonly [share: ReleaseCounts, own: ReleaseCounts] | readonly [] | undefined;
  /** What the pods of the share come to; left out where no cluster is seen. */
  readonly pods?: PodEvidence;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What the pods of a share come to, next to what they were before, and to the others. */
interface PodEvidence {
  readonly signals: readonly Signal[];
  /** When all workloads of the share had been restarted, in milliseconds since 1970; left out until they are. */
  readonly restarted?: number;
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
