// Beginning the next workload of a restart: what it works with, what it asks in one look, and whether a workload may be begun now.
import { type JsonObject, ownError } from "@outrigger/base";
import type { KubeClient } from "@outrigger/cluster";
import type { JudgePorts } from "../compare/judge-pod.ts";
import type { RunningWorkload } from "../running.ts";
import { seePods } from "./change-in-place.ts";
import type { HeldJournal, JournalPorts } from "./journal.ts";
import type { RestartFailure, RestartJournal } from "./journal-entry.ts";
import { type Changeable, judgeAgain, type LeftWorkload, readWorkload } from "./plan-restart.ts";
import { allowedDisruptions, budgetsOf, podsOf, type Reserved, reservationOf } from "./pods-of-workload.ts";
import { type DoneWorkload, lookAtDone } from "./watch-done.ts";
import { type Moving, readyIn, type Watching } from "./watch-workload.ts";
import { pathOfWorkload, restartedAt, restartPatch, textOfName, whyLeft } from "./workload.ts";

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
/** What a restart would wait for is asked for so many workloads in one look. */
const ASKED = 6;
/** From one time that a workload is asked whether it can begin to the next: at most. */
const LONGEST_PAUSE = 64_000;

export interface Pending {
  readonly workload: RunningWorkload;
  /** When it is asked again whether it can begin. */
  at: number;
  pause: number;
}

export interface Run extends Omit<RestartPorts, "look">, Watching {
  readonly held: HeldJournal;
  /** Of a change in place. */
  readonly changeable?: Changeable;
  readonly pending: Pending[];
  readonly moving: Map<string, Moving>;
  readonly done: Map<string, DoneWorkload>;
  readonly left: LeftWorkload[];
  /** When the last one came back. */
  back: number;
  /** What was read in this look. */
  look: {
    readonly budgets: Map<string, ReturnType<typeof budgetsOf>>;
    isWell?: boolean;
    failure?: RestartFailure;
  };
}

/** Of a release that was taken back: one workload that does not come back keeps no other waiting. */
export function isUrgent({ held }: Pick<Run, "held">): boolean {
  return held.current().question.release !== undefined;
}

export function isStopping({ signal, held }: Pick<Run, "signal" | "held">): boolean {
  return signal?.aborted === true || held.current().state === "stopping";
}

/** Whether all that is done is still well, by one reading of their pods in a look. */
export async function isWell(run: Run): Promise<boolean> {
  if (run.look.isWell === undefined) {
    const found = isUrgent(run) ? undefined : await lookAtDone(run, run.done);
    if (typeof found === "object") run.look.failure = found;
    run.look.isWell = found === undefined;
  }
  return run.look.isWell;
}

export async function allowedFor(run: Run, reserved: Reserved): Promise<number> {
  if (isUrgent(run)) return Number.POSITIVE_INFINITY;
  const { budgets } = run.look;
  const { namespace } = reserved;
  const own = budgets.get(namespace) ?? budgetsOf(run.kube, namespace);
  budgets.set(namespace, own);
  return allowedDisruptions(
    reserved,
    await own,
    [...run.moving.values()].map((moving) => moving.reserved),
  );
}

export function newMoving(
  workload: Moving["workload"],
  object: JsonObject,
  pods: readonly JsonObject[],
  since: number,
): Moving {
  return {
    workload,
    reserved: reservationOf(object, pods),
    since,
    marks: new Set(),
    ready: readyIn(pods),
    tried: new Set(),
  };
}

export function progressOf({ pending, moving, left }: Run): Partial<RestartJournal> {
  return { moving: [...moving.keys()], waiting: pending.length, left };
}

/** Begins one more; false where none can be begun now. */
export async function beginNext(run: Run): Promise<boolean> {
  const due = run.pending.filter(({ at }) => at <= run.now()).slice(0, ASKED);
  for (const pending of due) {
    const { workload } = pending;
    const name = textOfName(workload);
    if (!(await isWell(run))) return false;
    await run.held.write({});
    const outcome = await begin(run, workload, name);
    if (outcome === "blocked") {
      pending.at = run.now() + pending.pause;
      pending.pause = Math.min(2 * pending.pause, LONGEST_PAUSE);
      continue;
    }
    run.pending.splice(run.pending.indexOf(pending), 1);
    if (outcome === "begun") return true;
    if (outcome !== "current") run.left.push({ workload: name, why: outcome.why });
    await run.held.write(progressOf(run));
  }
  return false;
}

type Begun = "begun" | "blocked" | "current" | { readonly why: string };

async function begin(run: Run, workload: RunningWorkload, name: string): Promise<Begun> {
  const { kube, at, held, now, report, changeable } = run;
  const object = await readWorkload(kube, workload);
  if (object === undefined) return "current";
  const pods = await podsOf(kube, object);
  const moving = newMoving(workload, object, pods, now());
  // The answer to the write was lost.
  const isBegun = changeable === undefined && restartedAt(object) === at;
  const why = isBegun ? undefined : whyLeft(object, isUrgent(run));
  if (why !== undefined) return { why };
  if (!isBegun) {
    const judged = await judgeAgain(run, workload, pods);
    if (judged !== undefined) return judged;
    const seen = changeable && (await seePods({ ...run, changeable }, object, pods));
    if (seen !== undefined && "left" in seen) return { why: seen.left };
    if ((await allowedFor(run, moving.reserved)) <= 0) return "blocked";
  }
  if (changeable !== undefined) moving.reserved.pods = 0;
  // The journal first: where another command has had it, nothing is begun.
  run.moving.set(name, moving);
  await held.write({ ...progressOf(run), waiting: run.pending.length - 1 });
  if (changeable !== undefined) {
    report(`${name} is changed in place`);
    return "begun";
  }
  try {
    if (!isBegun) await kube.mergePatch(pathOfWorkload(workload) as string, restartPatch(object, at));
  } catch (error) {
    ownError(error, "cluster-conflict");
    // It has changed since it was read: it is looked at again.
    run.moving.delete(name);
    return "blocked";
  }
  report(`${name} is restarted`);
  return "begun";
}
