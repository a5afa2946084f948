// What is read from outside before a release moves on: the states of alarms, and what two releases did.
import type { OutsideCall } from "@outrigger/aws";
import { defined } from "@outrigger/base";
import type { PublisherDependencies } from "../dependencies.ts";
import { errorOf, type PublisherError } from "../request/publisher-result.ts";
import type { AlarmStates } from "./rollout.ts";
import type { ReleaseCounts, ReleaseQuestion } from "./signals.ts";

/** The sources of evidence. */
export type Watch = Pick<PublisherDependencies, "alarmStates" | "countReleases">;

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

interface Judged extends Omit<ReleaseQuestion, "releases"> {
  readonly alarms: readonly string[];
  readonly next: string;
  readonly own: string;
}

export async function readEvidence(
  { alarms, next, own, ...question }: Judged,
  { alarmStates, countReleases }: Watch,
): Promise<SeenEvidence> {
  const states = await unlessRefused<AlarmStates | undefined>(async () =>
    alarms.length === 0 ? {} : alarmStates?.(alarms),
  );
  const counts = await unlessRefused<SeenEvidence["counts"]>(
    async () => countReleases?.({ releases: [next, own], ...question }) ?? [],
  );
  return { states: states.value, counts: counts.value, ...defined({ error: states.error ?? counts.error }) };
}

/** The sources for one look: channels that ask the same, as those that follow the same one do, share the answer. */
export function sharedWatch({ alarmStates, countReleases }: Watch): Watch {
  return defined({
    alarmStates: alarmStates && askedOnce(alarmStates),
    countReleases: countReleases && askedOnce(countReleases),
  });
}

function askedOnce<Question, Answer>(ask: OutsideCall<Question, Answer>): OutsideCall<Question, Answer> {
  const answers = new Map<string, Promise<Answer>>();
  return (question) => {
    const key = JSON.stringify(question);
    const answer = answers.get(key) ?? ask(question);
    answers.set(key, answer);
    return answer;
  };
}

/** Reads from outside, and returns the value, or the error for which it cannot be read. */
async function unlessRefused<Value>(read: () => Promise<Value>) {
  try {
    return { value: await read() };
  } catch (error) {
    return { error: errorOf(error) };
  }
}
