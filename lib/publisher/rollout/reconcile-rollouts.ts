// That what was declared is served, that rollouts continue, or go back, and that rings follow, by themselves. Runs every minute; nothing depends on when.
import { defined, entryOf } from "@outrigger/base";
import { type Settled, settle } from "../commit/settle.ts";
import type { PublisherDependencies } from "../dependencies.ts";
import type { ChannelRecord } from "../records/channel-record.ts";
import { errorOf, type PublisherError, type PublisherResult } from "../request/publisher-result.ts";
import { runPublisher } from "../run-publisher.ts";
import type { Following } from "./following.ts";
import { type DueRelease, dueRelease, judgeDue } from "./judge-ring.ts";
import { judgeRollout, type RolloutEvidence, type RolloutVerdict } from "./judge-rollout.ts";
import type { AlarmStates } from "./rollout.ts";
import { type ReleaseCounts, releaseSignals, type Signal } from "./signals.ts";

/**
 * Finishes what a publisher that stopped has left, then looks at every rollout and every ring once, and makes its step where one is due. A
 * step that another call has made is made once.
 */
export async function reconcileRollouts(dependencies: PublisherDependencies) {
  const settled = await settle(dependencies);
  const rolling = Object.entries(settled.channels).filter(([, { rollout }]) => rollout !== undefined);
  const stepped: Step[] = [];
  for (const [channel, record] of rolling) {
    const change = settled.numbers[`channel/${channel}`];
    stepped.push(await step(channel, { ...record, ...defined({ change }) }, dependencies));
  }
  // A replica gets the moves of its primary.
  for (const channel of dependencies.primary === undefined ? Object.keys(settled.channels) : []) {
    const moved = await stepRing(channel, settled, dependencies);
    if (moved !== undefined) stepped.push(moved);
  }
  return { settled, stepped };
}

/** A channel that follows another one, and whether it takes its release now. */
interface JudgedRing {
  readonly follows: Following;
  /** The release that is its next, where it has been served for long enough. */
  readonly due?: DueRelease;
  readonly verdict: RolloutVerdict;
  /** Why alarms, or what the releases did, could not be read. */
  readonly error?: PublisherError;
}

/**
 * Whether a channel takes the release of the one that it follows, as the schedule decides it and as people are shown it.
 *
 * @param channels all records: what is followed is among them
 * @returns undefined where it follows none
 */
export async function judgeRing(
  channel: string,
  channels: Readonly<Record<string, ChannelRecord>>,
  { alarmStates, countRelease, now }: Pick<PublisherDependencies, "alarmStates" | "countRelease" | "now">,
): Promise<JudgedRing | undefined> {
  const record = channels[channel];
  const follows = record?.follows;
  if (record === undefined || follows === undefined) return undefined;
  const time = now().getTime();
  const due = dueRelease({ ...record, follows }, entryOf(channels, follows.channel), time);
  if ("kind" in due) return { follows, verdict: due };
  const { alarms } = follows;
  const states = await unlessRefused<AlarmStates | undefined>(async () =>
    alarms.length === 0 ? {} : alarmStates?.(alarms),
  );
  const counts = await unlessRefused<Evidence["counts"]>(async () => {
    if (countRelease === undefined) return [];
    const { since } = due;
    return Promise.all([due.release, record.release].map((release) => countRelease({ release, since }))) as Promise<
      [ReleaseCounts, ReleaseCounts]
    >;
  });
  const verdict: RolloutVerdict = judgeDue(follows, due, { states: states.value, counts: counts.value, now: time });
  return { follows, due, verdict, ...defined({ error: states.error ?? counts.error }) };
}

/** The step of a ring: undefined where the channel follows none. */
async function stepRing(
  channel: string,
  { channels, numbers }: Settled,
  given: PublisherDependencies,
): Promise<Step | undefined> {
  const judged = await judgeRing(channel, channels, given);
  if (judged === undefined) return undefined;
  const { follows, due, verdict, error } = judged;
  if (verdict.kind !== "advance" || due === undefined)
    return { channel, verdict, ...defined({ result: error && { ok: false as const, error } }) };
  const change = numbers[`channel/${channel}`];
  const { channel: from, share, rollout } = follows;
  const { release } = due;
  const move = { from, to: channel, release, ...defined({ share, rollout, change }) };
  const serving = channels[channel]?.release ?? null;
  const cause = { by: "the ring", why: verdict.why };
  // One for each release and state of the ring: a look that is repeated, or made twice at once, moves it once.
  const id = `ring-${release}-${change ?? Date.parse(channels[channel]?.history[0]?.at ?? "")}`;
  const result = await runPublisher({ action: "promote", ...move, serving, id, cause }, given);
  // What waits for a person is no fault: the ring is stuck, and says why.
  if (result.ok || !WAITS.includes(result.error.code)) return { channel, verdict, result };
  const waited = Math.ceil((given.now().getTime() - due.since) / 1000) - follows.after;
  return { channel, verdict: { kind: "wait" as const, why: result.error.message, stuck: Math.max(1, waited) } };
}

const WAITS: readonly string[] = ["edit-held", "channel-pinned"];

/** The step of a rollout or of a ring, if one is due: without a result where it waits. */
interface Step {
  readonly channel: string;
  readonly verdict: RolloutVerdict;
  readonly result?: PublisherResult;
}

const UNDECIDED: RolloutVerdict = { kind: "wait", why: "it has no share" };

async function step(channel: string, record: ChannelRecord, given: PublisherDependencies): Promise<Step> {
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
