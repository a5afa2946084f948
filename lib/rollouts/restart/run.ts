// What a restart works with, and what it knows of each workload that is in motion.
import { type JsonObject, objectOf } from "@outrigger/base";
import type { KubeClient } from "@outrigger/cluster";
import { matchesLabelSelector, metadataOf, parseLabelSelector } from "@outrigger/pod";
import type { JudgePorts, PodVerdict } from "../compare/judge-pod.ts";
import type { Restarts } from "../pod-status.ts";
import type { HeldJournal } from "./journal.ts";
import type { Cause, JournalPorts, LeftWorkload, RestartFailure } from "./journal-entry.ts";
import type { JudgedAgain } from "./plan-restart.ts";
import { itemsOf, type SeenWorkload } from "./pods-of-workload.ts";
import { deadlineOf } from "./workload.ts";

/** The ports of a restart. */
export interface RestartPorts extends JudgePorts, JournalPorts {
  /** Milliseconds. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly report: (line: string) => void;
  /** Aborted when nothing more is to be begun. */
  readonly signal?: AbortSignal;
  /** Looks at what does not show in the workloads that are restarted: why the restart is to stop at once. */
  readonly look?: () => Promise<string | undefined>;
  /** Asked before a pod is said to be wrong: why what pods are judged by is no longer so. */
  readonly whyMoved?: () => Promise<string | undefined>;
}

export interface Run extends RestartPorts {
  readonly held: HeldJournal;
  /** The start of the restart, as its workloads are marked with it. */
  readonly at: string;
  readonly action: Action;
  /** Whether the restart is for a release that was taken back: then a workload that does not come back keeps no other waiting. */
  readonly isUrgent: boolean;
  /** Milliseconds that a workload, or a changed pod, must be well before the next. */
  readonly bake: number;
  /** The workloads that have not begun: `at` is when the next one is asked again whether it can. */
  readonly pending: { readonly name: string; at: number; pause: number }[];
  readonly moving: Map<string, Moving>;
  /** The workloads that are back and still watched, with their pods. */
  readonly done: Map<string, WatchedPods>;
  readonly left: LeftWorkload[];
  /** The reasons why next pods could not be tried: each is said once. */
  readonly untried: Set<string>;
  failure?: RestartFailure;
  /** The verdicts on pods by their uids. A pod is judged again when it has changed. */
  readonly judged: Map<string, { readonly version: string; readonly verdict: PodVerdict }>;
  /** The time at which the last workload came back. */
  back: number;
  /** Makes a call again at once or not at all: what takes a pod down is not made by what was seen before a pause. */
  readonly atOnce: Pick<KubeClient, "mergePatch">;
  /** The number of calls that were not answered. What was read before the last of them is out of date. */
  readonly pauses: () => number;
  /** The objects that were read in this look. */
  seen: { read: Read; readonly budgets: Map<string, Promise<readonly JsonObject[]>>; isWell?: boolean };
}

/** Pods that were ready, by their uids: how often their containers had been restarted by then, and since when they are down. */
export type WatchedPods = Map<string, { readonly restarts: Restarts; readonly down?: number }>;

/** A workload that was begun and is not back yet, as it was read last. */
export interface Moving extends SeenWorkload {
  object: JsonObject;
  pods: readonly JsonObject[];
  read: Read;
  /** The labels of the workload's pods when it was begun, which say the budgets over it. */
  readonly labels: readonly Readonly<Record<string, string>>[];
  /** The number of pods that it takes of its budgets, whether their status counts them by now or not; 0 while it waits for a budget. */
  taken: number;
  /** The reason why it waits for a budget, where the budget does more than to allow no disruption. */
  blocked?: string;
  /** The time of its start, or of its last progress. */
  since: number;
  /** The marks of its progress so far. */
  readonly marks: Set<string>;
  /** The time since when its rollout has been complete. */
  complete?: number;
  /** The uids of pods whose images were written, in a change in place. */
  readonly tried: Set<string>;
}

/** The steps that are particular to one kind of restart, for one workload. */
export interface Action {
  /** `restarted` */
  readonly word: string;
  /** Whether it was begun: the answer to the write was lost. */
  readonly isBegun: (run: Run, seen: SeenWorkload) => boolean;
  /** Returns why the pods stay as they are, `later` where it is to be asked again, or undefined if the change may be begun. */
  readonly whyLeft: (
    run: Run,
    seen: SeenWorkload,
    judged: JudgedAgain,
  ) => Promise<{ readonly why: string } | "later" | undefined>;
  /** False where it has changed since it was read; the reason why it stays as it is where the API server refuses the change. */
  readonly begin: (run: Run, moving: Moving) => Promise<boolean | { readonly why: string }>;
  /** Looks at it, and does one thing more. */
  readonly look: (run: Run, moving: Moving) => Promise<Look>;
}

/**
 * The result of a look at a workload that was begun: under way, seen too long ago to be changed, back, as far as it was when it was to
 * stop, or what keeps it.
 */
export type Look = "moving" | "stale" | "back" | "halted" | Stop;

/** The cause that stops the restart, or the reason why this workload alone is left. */
export type Stop = Cause | { readonly left: string };

/** The time of a reading, and the number of calls that had not been answered by then; undefined where those do not count. */
interface Read {
  readonly at: number;
  readonly pauses: number | undefined;
}

export function readNow({ now, pauses }: Pick<Run, "now" | "pauses">): Read {
  return { at: now(), pauses: pauses() };
}

/** Longer than a look takes: the command was suspended. */
const SUSPENDED = 30_000;

/** Whether a call has waited for its answer since, or the command was suspended. */
function isStale(run: Pick<Run, "now" | "pauses">, { at, pauses }: Read): boolean {
  return (pauses !== undefined && pauses !== run.pauses()) || run.now() - at > SUSPENDED;
}

/** Asked before each write: whether this command still has its turn, or throws, and what was read is not out of date. */
export async function mayWrite(run: Run, { read }: Moving): Promise<boolean> {
  await run.held.write({});
  return !isStale(run, read);
}

export function nothingSeen(run: Pick<Run, "now" | "pauses">): Run["seen"] {
  return { read: readNow(run), budgets: new Map() };
}

/** Forgets what was read. What nobody looked at while the command was suspended is not late. */
export function beginLook(run: Run): void {
  const away = run.now() - run.seen.read.at;
  if (away > SUSPENDED) for (const moving of run.moving.values()) moving.since += away;
  run.seen = nothingSeen(run);
}

/** Returns what was read in this look, if it is not out of date. */
export function freshLook(run: Run): Run["seen"] {
  if (isStale(run, run.seen.read)) run.seen = nothingSeen(run);
  return run.seen;
}

export function isStopping({ signal, held }: Run): boolean {
  return signal?.aborted === true || held.current().state === "stopping";
}

/** A status is written some time after what it is about. */
const SPARE = 2000;

/**
 * `after 600 s` where a workload has made no progress for as long as it may. A number that was there before is no progress: a pod that
 * comes and goes does not move the deadline.
 *
 * @param mark how far it is
 * @param isWell nothing is awaited: whatever takes a pod down after that has the whole time to bring it back
 */
export function lateAfter(moving: Moving, mark: string, isWell: boolean, now: number): string | undefined {
  if (isWell || !moving.marks.has(mark)) moving.since = now;
  moving.marks.add(mark);
  const seconds = deadlineOf(moving.object);
  return now - moving.since > seconds * 1000 + SPARE ? `after ${seconds} s` : undefined;
}

// Which budgets a workload is under, and what they allow while others are in motion.
export function labelsOf({ object, pods }: SeenWorkload): Moving["labels"] {
  const labelled = pods.length === 0 ? [objectOf(objectOf(object["spec"])["template"])] : pods;
  return labelled.map((one) => metadataOf(one).labels);
}

interface Allowed {
  readonly pods: number;
  readonly budget: string;
}

const UNLIMITED: Allowed = { pods: Number.POSITIVE_INFINITY, budget: "" };

/**
 * Returns the number of pods that the budgets of a workload allow to be disrupted now, with all that is in motion
 * deducted. Neither a rollout nor a new image asks them, so a restart does.
 */
export async function allowedFor(run: Run, { object, labels }: Moving): Promise<Allowed> {
  if (run.isUrgent) return UNLIMITED;
  const { namespace } = metadataOf(object);
  const { budgets } = freshLook(run);
  const path = `/apis/policy/v1/namespaces/${encodeURIComponent(namespace)}/poddisruptionbudgets`;
  const reading = budgets.get(namespace) ?? itemsOf(run.kube.list(path));
  budgets.set(namespace, reading);
  return (await reading).reduce((least, { metadata, spec, status }) => {
    const { selector } = objectOf(spec);
    if (selector === undefined) return least;
    const parsed = parseLabelSelector(selector, "selector");
    const isOver = (own: Moving["labels"]) => own.some((each) => matchesLabelSelector(parsed, each));
    if (!isOver(labels)) return least;
    const { disruptionsAllowed } = objectOf(status);
    const taken = [...run.moving.values()]
      .filter((one) => metadataOf(one.object).namespace === namespace && isOver(one.labels))
      .reduce((sum, one) => sum + one.taken, 0);
    const pods = (typeof disruptionsAllowed === "number" ? disruptionsAllowed : 0) - taken;
    return pods < least.pods ? { pods, budget: metadataOf({ metadata }).name } : least;
  }, UNLIMITED);
}
