// A restart: workload by workload, never more of them at a time than asked for, each watched until its pods are back. It stops at
// the first that does not come back, and can be gone on with from any point: every workload says itself whether it was begun.
import { ownError } from "@outrigger/base";
import type { KubeClient } from "@outrigger/cluster";
import type { JudgePorts } from "../compare/judge-pod.ts";
import type { RunningWorkload } from "../running.ts";
import { type ChangingWorkload, changeInPlace, changingPods } from "./change-in-place.ts";
import {
  type HeldJournal,
  type JournalPorts,
  type RestartFailure,
  type RestartJournal,
  takeJournal,
} from "./journal.ts";
import {
  type Changeable,
  changeableIn,
  judgeAgain,
  type LeftWorkload,
  planRestart,
  readWorkload,
} from "./plan-restart.ts";
import { showCause } from "./pod-trouble.ts";
import { watchRestarted } from "./watch-workload.ts";
import {
  allowedDisruptions,
  budgetsOf,
  pathOfWorkload,
  restartedAt,
  restartPatch,
  textOfName,
  whyLeft,
} from "./workload.ts";

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
}

const POLL = 2000;

/**
 * Restarts, or goes on with the restart that a command left. Ends when every workload is back, when one does not come back, or when
 * it is stopped.
 *
 * @returns the journal as it was left
 * @throws OutriggerError `cluster-conflict` while another command restarts
 */
export async function runRestart(
  deployment: string,
  request: Parameters<typeof takeJournal>[1],
  ports: RestartPorts,
): Promise<RestartJournal> {
  const held = await takeJournal(deployment, request, ports);
  const { at, question, parallel, window, pause = 0 } = held.current();
  const moving = await movingOf(held.current(), ports);
  const { restart, left } = await planRestart(ports.kube, ports, question);
  const changeable = question.inPlace && (await changeableIn(ports.kube, question.inPlace));
  const pending = restart.filter((workload) => !moving.has(textOfName(workload)));
  const run: Run = {
    ...ports,
    held,
    at,
    ...(changeable && { changeable }),
    pending,
    moving,
    left: [...left.filter(({ workload }) => !moving.has(workload))],
    back: 0,
  };
  let failure: RestartFailure | undefined;
  let busy = ports.now();
  for (;;) {
    await held.write({});
    const why = await ports.look?.();
    failure = why === undefined ? await watchMoving(run) : { why };
    if (failure !== undefined) break;
    const isEnding = isStopping(run);
    const open = isOpen(window, ports.now()) && ports.now() - run.back >= pause * 1000;
    while (!isEnding && open && run.moving.size < parallel && (await beginNext(run))) {
      // As many as may be in motion.
    }
    if (run.moving.size > 0 || !open) busy = ports.now();
    if (run.moving.size === 0 && (isEnding || run.pending.length === 0)) break;
    if (ports.now() - busy > PATIENCE) leaveBlocked(run);
    else await ports.sleep(POLL);
  }
  const { workload, pod, container } = failure ?? {};
  if (workload !== undefined && pod !== undefined && container !== undefined) {
    const [namespace = ""] = workload.split("/");
    for (const line of await showCause(ports.kube, { namespace, pod, container })) ports.report(line);
  }
  const state = failure !== undefined ? "failed" : isStopping(run) ? "stopped" : "done";
  await held.release({ ...progressOf(run), state, ...(failure !== undefined && { failure }) });
  return held.current();
}

interface Run extends RestartPorts {
  readonly held: HeldJournal;
  readonly at: string;
  /** Of a change in place. */
  readonly changeable?: Changeable;
  readonly pending: RunningWorkload[];
  readonly moving: Map<string, ChangingWorkload>;
  readonly left: LeftWorkload[];
  /** When the last one came back. */
  back: number;
}

/** Of a release that was taken back: one workload that does not come back keeps no other waiting. */
function isUrgent({ held }: Pick<Run, "held">): boolean {
  return held.current().question.release !== undefined;
}

function isStopping({ signal, held }: Run): boolean {
  return signal?.aborted === true || held.current().state === "stopping";
}

/** A budget that allows no disruption for so long while nothing is in motion will not by itself. */
const PATIENCE = 600_000;

function leaveBlocked({ pending, left }: Run): void {
  const why = "its PodDisruptionBudget allows no disruption";
  left.push(...pending.splice(0).map((workload) => ({ workload: textOfName(workload), why })));
}

/**
 * What the command before this one has begun: the journal names it, and the workload has the time of this restart. One that is changed
 * in place is as far as its pods say.
 */
async function movingOf(
  { moving, at, question }: RestartJournal,
  { kube, now }: RestartPorts,
): Promise<Map<string, ChangingWorkload>> {
  const begun = new Map<string, ChangingWorkload>();
  for (const text of moving) {
    const [namespace = "", kind = "", name = ""] = text.split("/");
    const object = await readWorkload(kube, { namespace, kind, name });
    const isBegun = object !== undefined && (question.inPlace !== undefined || restartedAt(object) === at);
    if (isBegun) begun.set(text, { workload: { namespace, kind, name }, since: now() });
  }
  return begun;
}

function progressOf({ pending, moving, left }: Run): Partial<RestartJournal> {
  return { moving: [...moving.keys()], waiting: pending.length, left };
}

/** Takes what is complete off the list; the first that does not come back is returned. */
async function watchMoving(run: Run): Promise<RestartFailure | undefined> {
  const { changeable } = run;
  for (const [name, moving] of run.moving) {
    const found =
      changeable === undefined
        ? await watchRestarted({ ...run, isUrgent: isUrgent(run) }, moving)
        : await changeInPlace({ ...run, changeable, isStopping: isStopping(run) }, moving);
    if (found === "moving") continue;
    if (typeof found !== "string" && "why" in found) return { workload: name, ...found };
    run.moving.delete(name);
    run.back = run.now();
    if (typeof found !== "string") run.left.push({ workload: name, why: found.left });
    if (found === "back") run.report(`${name} is back`);
    await run.held.write({ ...progressOf(run), done: run.held.current().done + (found === "back" ? 1 : 0) });
  }
  return undefined;
}

/** Begins one more; false where none can be begun now. */
async function beginNext(run: Run): Promise<boolean> {
  for (const workload of [...run.pending]) {
    const name = textOfName(workload);
    const outcome = await begin(run, workload, name);
    if (outcome === "blocked") continue;
    run.pending.splice(run.pending.indexOf(workload), 1);
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
  const why = whyLeft(object, isUrgent(run));
  if (why !== undefined) return { why };
  const judged = await judgeAgain(kube, run, workload, object);
  if (judged !== undefined) return judged;
  const pods = changeable && (await changingPods({ ...run, changeable }, workload, object));
  if (pods !== undefined && "why" in pods) return pods;
  const budgets = isUrgent(run) ? [] : await budgetsOf(kube, workload.namespace);
  if (allowedDisruptions(object, budgets) <= 0) return "blocked";
  // The journal first: where another command has had it, nothing is begun.
  run.moving.set(name, { workload, since: now(), ...(pods && { pods }) });
  await held.write({ ...progressOf(run), waiting: run.pending.length - 1 });
  if (pods !== undefined) {
    report(`${name} is changed in place`);
    return "begun";
  }
  try {
    await kube.mergePatch(pathOfWorkload(workload) as string, restartPatch(object, at));
  } catch (error) {
    ownError(error, "cluster-conflict");
    // It has changed since it was read: it is looked at again.
    run.moving.delete(name);
    return "blocked";
  }
  report(`${name} is restarted`);
  return "begun";
}

/** @param window `22:00-04:00`, UTC; workloads are begun within it only */
function isOpen(window: string | undefined, now: number): boolean {
  const [from, to] = window?.split("-") ?? [];
  if (from === undefined || to === undefined) return true;
  const time = new Date(now).toISOString().slice(11, 16);
  return from <= to ? from <= time && time < to : time >= from || time < to;
}
