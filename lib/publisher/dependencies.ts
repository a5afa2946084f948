// What the publisher is given: everything of it that is not a rule.
import type { Layout, OutsideCall, ParameterReader, ParameterStore, packParts, Tier } from "@outrigger/aws";
import type { Guardrails } from "@outrigger/guardrails";
import type { Release, SourceTree } from "@outrigger/injector";
import type { Effect, Hold } from "./effect/effects.ts";
import type { ChangeEvent } from "./events/change-event.ts";
import type { AlarmStates } from "./rollout/rollout.ts";
import type { ReleaseCounts, ReleaseQuestion } from "./rollout/signals.ts";

/** The dependencies of the publisher that reading needs. */
export interface StoreAccess {
  readonly store: ParameterReader;
  readonly layout: Layout;
}

/** A store, the shipped tree, a clock: everything of the publisher that is not a rule. */
export interface PublisherDependencies extends StoreAccess {
  readonly store: ParameterStore;
  readonly tier: Tier;
  /** The name of the store's bucket. */
  readonly bucket: string;
  /** The lowest layer of every tree: the shipped templates and defaults. */
  readonly shipped: SourceTree;
  readonly now: () => Date;
  /** The deployment in another Region that this one is a replica of; its name is that Region, for people. */
  readonly primary?: StoreAccess & { readonly name: string };
  readonly sleep: (milliseconds: number) => Promise<void>;
  /**
   * The guardrails of what an injection may add to a pod: a tree that would add more is refused. If they are left out,
   * it may add anything.
   */
  readonly guardrails?: Guardrails;
  /** What an edit may not do by itself: the deployment's setting. Left out: `powers`. */
  readonly hold?: Hold;
  /** The environment whose trees alone are published: the deployment's setting. Left out or empty: every tree is. */
  readonly environment?: string;
  /** Finds who wrote a version of a parameter, where that can be found out. */
  readonly editorOf?: OutsideCall<{ readonly name: string; readonly version: number }, string | undefined>;
  /** Reads the states of CloudWatch alarms by name, where they can be read: those that do not exist are left out. */
  readonly alarmStates?: OutsideCall<readonly string[], AlarmStates>;
  /** Counts what each of two releases did, where that is counted. */
  readonly countReleases?: OutsideCall<ReleaseQuestion, readonly [ReleaseCounts, ReleaseCounts]>;
  /**
   * Sends events of changes, ten at most, where they are wanted; each at least once. Returns how many of them were taken, from the first
   * on.
   */
  readonly sendEvents?: OutsideCall<readonly ChangeEvent[], number>;
  /** Compiles a tree over the shipped one. Left out: compileRelease. */
  readonly compile?: (layers: readonly SourceTree[]) => Release;
  /** loadRelease, for its errors only; this and the next two are replaced in tests of the order of calls. */
  readonly load?: (release: Release) => unknown;
  readonly compare?: (before: Release, after: Release, layers: readonly SourceTree[]) => readonly Effect[];
  readonly pack?: typeof packParts;
}

/**
 * Returns how to wait for what was written and is not read yet: readings may be three seconds behind writes.
 *
 * @param written when it was, in milliseconds since 1970: what is older than ten seconds is read as it is
 */
export function patienceOf(
  { now, sleep }: Pick<PublisherDependencies, "sleep" | "now">,
  written = Number.POSITIVE_INFINITY,
) {
  const isFresh = now().getTime() - written < AT_WORK;
  return { sleep, pause: 200, tries: isFresh ? 16 : 1 };
}

/** Milliseconds by which readings may be behind writes. */
export const BEHIND = 3000;

/** Milliseconds for which what was written is at work: its publisher may not have ended, and readings may be behind. */
export const AT_WORK = 10_000;

/** Milliseconds after which a look reads all again, though nothing says that it has changed: a person may have written a record by hand. */
const WHOLE_EVERY = 24 * 60 * 60 * 1000;

/** Whether what a look has marked as read, at a time in ISO 8601, need not be read again. */
export function isReadLately(at: unknown, now: Date): boolean {
  return Math.abs(now.getTime() - Date.parse(String(at))) < WHOLE_EVERY;
}
