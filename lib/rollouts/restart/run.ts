// What a restart works with, and what it knows of each workload that is in motion.
import type { JsonObject } from "@outrigger/base";
import type { KubeClient } from "@outrigger/cluster";
import { metadataOf } from "@outrigger/pod";
import type { JudgePorts, PodVerdict } from "../compare/judge-pod.ts";
import { isReady, type Restarts, restartsOf } from "../pod-status.ts";
import type { RunningWorkload } from "../running.ts";
import type { Cause, HeldJournal, JournalPorts, LeftWorkload, RestartFailure } from "./journal-entry.ts";
import type { WorkloadName } from "./workload.ts";

/** What a restart works with. */
export interface RestartPorts extends JudgePorts, JournalPorts {
  readonly kube: KubeClient;
  /** Milliseconds. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** A line for people. */
  readonly report: (line: string) => void;
  /** Aborted when nothing more is to be begun. */
  readonly signal?: AbortSignal;
  /** Looks at what does not show in the workloads that are restarted: why the restart is to stop at once. */
  readonly look?: () => Promise<string | undefined>;
  /** Asked before a pod is said to be wrong: why what pods are judged by is no longer so. */
  readonly whyMoved?: () => Promise<string | undefined>;
}

/** Milliseconds from one look to the next. */
export const POLL = 2000;

/** A restart while it runs. */
export interface Run extends Omit<RestartPorts, "look"> {
  readonly held: HeldJournal;
  /** When it began, as its workloads say. */
  readonly at: string;
  readonly action: Action;
  /** It is for a release that was taken back: one workload that does not come back keeps no other waiting. */
  readonly isUrgent: boolean;
  /** Milliseconds that a workload, or a changed pod, must be well before the next. */
  readonly bake: number;
  readonly pending: Pending[];
  readonly moving: Map<string, Moving>;
  /** What is back stays under watch. */
  readonly done: Map<string, Watched>;
  readonly left: LeftWorkload[];
  /** What pods are, by their uids: judged again when they have changed. */
  readonly judged: Map<string, { readonly version: string; readonly verdict: PodVerdict }>;
  /** When the last one came back. */
  back: number;
  /** Makes a call again at once or not at all: what takes a pod down is not made by what was seen before a pause. */
  readonly atOnce: Pick<KubeClient, "mergePatch">;
  /** How often a call was not answered: what was read before is out of date. */
  readonly pauses: () => number;
  /** What was read in this look. */
  look: {
    read: Read;
    readonly budgets: Map<string, Promise<readonly JsonObject[]>>;
    isWell?: boolean;
    failure?: RestartFailure;
  };
}

export interface Pending {
  readonly workload: RunningWorkload;
  /** When it is asked again whether it can begin. */
  at: number;
  pause: number;
}

/** A workload, and how its pods have been. */
export interface Watched {
  readonly workload: WorkloadName;
  /** Its pods that were ready: uid → how often its containers had been restarted by then. */
  ready: Map<string, Restarts>;
  /** Since when pods are down that had been ready: uid → time. */
  readonly falls: Map<string, number>;
}

/** What a workload in motion takes of its budgets, whether their status counts it by now or not. */
export interface Reserved {
  /** Labels of its pods. */
  readonly labels: readonly Readonly<Record<string, string>>[];
  readonly namespace: string;
  /** So many pods may be down because of it. */
  pods: number;
}

/** A workload that was begun and is not back yet. */
export interface Moving extends Watched {
  readonly reserved: Reserved;
  /** When it made progress last, or was begun. */
  since: number;
  /** How far it has been. */
  readonly marks: Set<string>;
  /** Since when it has been complete. */
  complete?: number;
  /** When its pods were read. */
  read: Read;
  /** Of a change in place: uids of pods whose images were written. */
  readonly tried: Set<string>;
}

/** What is done to one workload: all else is the same for every restart. */
export interface Action {
  /** `restarted` */
  readonly word: string;
  /** Whether it was begun: the answer to the write was lost. */
  readonly isBegun: (run: Run, object: JsonObject) => boolean;
  /** Why its pods stay as they are; undefined where it may be begun. */
  readonly whyLeft: (run: Run, object: JsonObject, pods: readonly JsonObject[]) => Promise<string | undefined>;
  /** False where it has changed since it was read. */
  readonly begin: (run: Run, moving: Moving, object: JsonObject) => Promise<boolean>;
  /** Looks at it, and does one thing more. */
  readonly look: (run: Run, moving: Moving, object: JsonObject, pods: readonly JsonObject[]) => Promise<Look>;
}

/** Where a workload is that was begun: under way, seen too long ago to be changed, back, as far as it was when it was to stop, or what keeps it. */
export type Look = "moving" | "stale" | "back" | "halted" | Cause | { readonly left: string };

/** When something was read, and how many calls had not been answered; undefined where they do not count. */
interface Read {
  readonly at: number;
  readonly pauses: number | undefined;
}

export function readNow({ now, pauses }: Pick<Run, "now" | "pauses">): Read {
  return { at: now(), pauses: pauses() };
}

/** Longer than a look takes: the command was suspended. */
export const SUSPENDED = 30_000;

/** Whether a call has waited for its answer since, or the command was suspended. */
export function isStale(run: Pick<Run, "now" | "pauses">, { at, pauses }: Read): boolean {
  return (pauses !== undefined && pauses !== run.pauses()) || run.now() - at > SUSPENDED;
}

/** What was read in this look, where that is not out of date. */
export function freshLook(run: Run): Run["look"] {
  const { look } = run;
  if (!isStale(run, look.read)) return look;
  look.budgets.clear();
  delete look.isWell;
  look.read = readNow(run);
  return look;
}

export function isStopping({ signal, held }: Run): boolean {
  return signal?.aborted === true || held.current().state === "stopping";
}

export function readyIn(pods: readonly JsonObject[]): Map<string, Restarts> {
  return new Map(pods.filter(isReady).map((pod) => [metadataOf(pod).uid, restartsOf(pod)]));
}

/** A number that was there before is no progress: a pod that comes and goes does not move the deadline. */
export function moved(moving: Moving, mark: string, now: number): void {
  if (!moving.marks.has(mark)) moving.since = now;
  moving.marks.add(mark);
}
