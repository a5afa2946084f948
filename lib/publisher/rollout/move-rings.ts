// Channels that follow another one: whether each takes its release now, and the promotion by which it does.
import { defined, entryOf } from "@outrigger/base";
import type { Settled } from "../commit/settle.ts";
import type { PublisherDependencies } from "../dependencies.ts";
import type { ChannelRecord } from "../records/channel-record.ts";
import type { PublisherError } from "../request/publisher-result.ts";
import { runPublisher } from "../run-publisher.ts";
import type { Following } from "./following.ts";
import { type DueRelease, dueRelease, judgeDue, stuckRing } from "./judge-ring.ts";
import { readEvidence, type Watch } from "./read-evidence.ts";
import type { Step } from "./step.ts";
import type { RolloutVerdict } from "./verdict.ts";

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
 * Whether a channel takes the release of the one that it follows, as the schedule decides it and as people are shown it. What waits for a
 * person is found when it is promoted.
 *
 * @param channels all records: what is followed is among them
 * @returns undefined where it follows none
 */
export async function judgeRing(
  channel: string,
  channels: Readonly<Record<string, ChannelRecord>>,
  watch: Watch & Pick<PublisherDependencies, "now">,
): Promise<JudgedRing | undefined> {
  const record = channels[channel];
  const follows = record?.follows;
  if (record === undefined || follows === undefined) return undefined;
  const now = watch.now().getTime();
  const due = dueRelease({ ...record, follows }, entryOf(channels, follows.channel), now);
  if ("kind" in due) return { follows, verdict: due };
  const { release: next, since } = due;
  const question = { alarms: follows.alarms, next, own: record.release, since, isTimed: false } as const;
  const { error, ...seen } = await readEvidence(question, watch);
  return { follows, due, verdict: judgeDue(follows, due, { ...seen, now }), ...defined({ error }) };
}

/** A promotion that waited for a person, by ring: it is not tried again until one of the two channels has changed. */
export type RingRefusals = Map<string, { readonly seen: string; readonly why: string }>;

/**
 * The step of a ring.
 *
 * @param refusals of the looks before
 * @returns undefined where the channel follows none
 */
export async function stepRing(
  channel: string,
  { channels, numbers }: Settled,
  refusals: RingRefusals,
  given: PublisherDependencies,
): Promise<Step | undefined> {
  const judged = await judgeRing(channel, channels, given);
  if (judged === undefined) return undefined;
  const { follows, due, verdict, error } = judged;
  if (verdict.kind !== "advance" || due === undefined)
    return { channel, verdict, ...defined({ result: error && { ok: false as const, error } }) };
  const { channel: from, share, rollout } = follows;
  const change = numbers[`channel/${channel}`];
  const fromChange = numbers[`channel/${from}`];
  const { release, since } = due;
  const held = (why: string) => stuckRing(why, follows, due, given.now().getTime());
  const seen = [release, change, fromChange, since].join();
  const refused = refusals.get(channel);
  if (refused?.seen === seen) return { channel, verdict: held(refused.why) };
  const move = { from, to: channel, release, ...defined({ share, rollout, change, fromChange }) };
  const serving = channels[channel]?.release ?? null;
  const cause = { by: "the ring", why: verdict.why };
  // One for each release and state of the ring: a look that is repeated, or made twice at once, moves it once.
  const id = `ring-${release}-${change ?? Date.parse(channels[channel]?.history[0]?.at ?? "")}`;
  const result = await runPublisher({ action: "promote", ...move, serving, id, cause }, given);
  refusals.delete(channel);
  // What waits for a person is no fault: the ring is stuck, and says why.
  if (result.ok || !WAITS.includes(result.error.code)) return { channel, verdict, result };
  refusals.set(channel, { seen, why: result.error.message });
  return { channel, verdict: held(result.error.message) };
}

/** Errors of a promotion that is left to a person. */
const WAITS: readonly string[] = ["edit-held", "channel-pinned"];
