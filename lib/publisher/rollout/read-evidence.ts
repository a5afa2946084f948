// What is read from outside before a release moves on: the states of alarms, and what two releases did.
import { defined } from "@outrigger/base";
import type { PublisherDependencies } from "../dependencies.ts";
import { errorOf, type PublisherError } from "../request/publisher-result.ts";
import type { AlarmStates } from "./rollout.ts";
import type { ReleaseCounts } from "./signals.ts";

/** The sources of evidence. */
export type Watch = Pick<PublisherDependencies, "alarmStates" | "countRelease">;

export interface SeenEvidence {
  /** The states of alarms; undefined where they cannot be read, which lets nothing continue. */
  readonly states: AlarmStates | undefined;
  /**
   * The counts of the release that is judged, and of the one that it is to replace. They are empty if nothing counts, as on a laptop, and
   * undefined if they cannot be read.
   */
  readonly counts: readonly [next: ReleaseCounts, own: ReleaseCounts] | readonly [] | undefined;
  /** Why one of them cannot be read. */
  readonly error?: PublisherError;
}

/** @param since milliseconds since 1970 */
export async function readEvidence(
  { alarms, next, own, since }: { alarms: readonly string[]; next: string; own: string; since: number },
  { alarmStates, countRelease }: Watch,
): Promise<SeenEvidence> {
  const states = await unlessRefused<AlarmStates | undefined>(async () =>
    alarms.length === 0 ? {} : alarmStates?.(alarms),
  );
  const counts = await unlessRefused<SeenEvidence["counts"]>(async () =>
    countRelease === undefined
      ? []
      : Promise.all([countRelease({ release: next, since }), countRelease({ release: own, since })]),
  );
  return { states: states.value, counts: counts.value, ...defined({ error: states.error ?? counts.error }) };
}

/** Reads from outside, and returns the value, or the error for which it cannot be read. */
async function unlessRefused<Value>(read: () => Promise<Value>) {
  try {
    return { value: await read() };
  } catch (error) {
    return { error: errorOf(error) };
  }
}
