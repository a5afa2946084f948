// A restart: workload by workload, never more of them at a time than asked for, each watched until its pods are back. It stops at
// the first that does not come back, and can be gone on with from any point: every workload says itself whether it was begun.
import { type JsonObject, OutriggerError } from "@outrigger/base";
import type { KubeClient } from "@outrigger/cluster";
import type { JudgePorts } from "../compare/judge-pod.ts";
import { isOutdated, type RunningWorkload, readRunning } from "../running.ts";
import { blockingBudget } from "./disruption-budgets.ts";
import {
  type HeldJournal,
  type JournalPorts,
  type RestartFailure,
  type RestartJournal,
  type RestartPlanned,
  takeJournal,
} from "./journal.ts";
import { type LeftWorkload, planRestart, readWorkload, whyNotJudged } from "./plan-restart.ts";
import { pathOfWorkload, restartedAt, restartPatch, textOfName, type WorkloadName, whyLeft } from "./restartable.ts";
import { rolloutStatus } from "./rollout-status.ts";
import { showCause } from "./show-cause.ts";
import { type Cause, selectorOf, UNDONE, unblock, whyNotBack } from "./watch-workload.ts";

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

interface Moving {
  readonly workload: WorkloadName;
  /** When this command saw it begun. */
  readonly since: number;
}

/** What is restarted, and how; of a restart that is gone on with, its journal says. */
export interface RestartRequest extends RestartPlanned {
  /** Also go on with one that failed or was stopped. */
  readonly isResumed: boolean;
}

/**
 * Restarts, or goes on with the restart that a command left. Ends when every workload is back, when one does not come back, or when
 * it is stopped.
 *
 * @returns the journal as it was left
 * @throws OutriggerError `cluster-conflict` while another command restarts
 */
export async function runRestart(
  deployment: string,
  request: RestartRequest,
  ports: RestartPorts,
): Promise<RestartJournal> {
  const held = await takeJournal(deployment, request, ports);
  const { at, question, parallel, window, pause = 0 } = held.current();
  const moving = await movingOf(held.current(), ports);
  const { restart, left } = await planRestart(ports.kube, ports, question);
  const pending = restart.filter((workload) => !moving.has(textOfName(workload)));
  const run: Run = {
    ...ports,
    held,
    at,
    pending,
    moving,
    left: [...left.filter(({ workload }) => !moving.has(workload))],
    back: 0,
  };
  let failure: RestartFailure | undefined;
  let busy = ports.now();
  for (;;) {
    await held.write({});
    failure = (await watchMoving(run)) ?? (await lookAround(ports));
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
  if (failure !== undefined) await sayCause(failure, ports);
  const state = failure !== undefined ? "failed" : isStopping(run) ? "stopped" : "done";
  await held.release({ ...progressOf(run), state, ...(failure !== undefined && { failure }) });
  return held.current();
}

async function sayCause(
  { workload = "", pod, container }: RestartFailure,
  { kube, report }: RestartPorts,
): Promise<void> {
  const [namespace = ""] = workload.split("/");
  if (pod === undefined || container === undefined) return;
  for (const line of await showCause(kube, { namespace, pod, container })) report(line);
}

interface Run extends RestartPorts {
  readonly held: HeldJournal;
  readonly at: string;
  readonly pending: RunningWorkload[];
  readonly moving: Map<string, Moving>;
  readonly left: LeftWorkload[];
  /** When the last one came back. */
  back: number;
}

async function lookAround({ look }: RestartPorts): Promise<RestartFailure | undefined> {
  const why = await look?.();
  return why === undefined ? undefined : { why };
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

/** What the command before this one has begun: the journal names it, and the workload has the time of this restart. */
async function movingOf({ moving, at }: RestartJournal, { kube, now }: RestartPorts): Promise<Map<string, Moving>> {
  const begun = new Map<string, Moving>();
  for (const text of moving) {
    const [namespace = "", kind = "", name = ""] = text.split("/");
    const object = await readWorkload(kube, { namespace, kind, name });
    const isBegun = object !== undefined && restartedAt(object) === at;
    if (isBegun) begun.set(text, { workload: { namespace, kind, name }, since: now() });
  }
  return begun;
}

function progressOf({ pending, moving, left }: Run): Partial<RestartJournal> {
  return { moving: [...moving.keys()], waiting: pending.length, left };
}

/** Takes what is complete off the list; the first that does not come back is returned. */
async function watchMoving(run: Run): Promise<RestartFailure | undefined> {
  for (const [name, { workload, since }] of run.moving) {
    const object = await readWorkload(run.kube, workload);
    const status = object === undefined ? GONE : rolloutStatus(object);
    const isComplete = status.state === "complete";
    const failure = isComplete
      ? await whyNotDone(run, workload, object)
      : await whyNotBack(run, object as JsonObject, { status, since });
    if (failure !== undefined && !isUrgent(run)) return { workload: name, ...failure };
    if (!isComplete && isUrgent(run)) await unblock(run, object as JsonObject);
    if (failure === undefined && !isComplete) continue;
    run.moving.delete(name);
    run.back = run.now();
    if (failure !== undefined) run.left.push({ workload: name, why: failure.why });
    else run.report(`${name} is back`);
    await run.held.write({ ...progressOf(run), done: run.held.current().done + (failure === undefined ? 1 : 0) });
  }
  return undefined;
}

/** A rollout can be complete and in vain. */
async function whyNotDone(
  run: Run,
  workload: WorkloadName,
  object: JsonObject | undefined,
): Promise<Cause | undefined> {
  if (object === undefined) return undefined;
  if (restartedAt(object) !== run.at) return UNDONE;
  // A webhook that is not called lets pods in without a sidecar.
  const still = await judgeAgain(run, workload, object);
  return still === undefined ? { why: "its new pods differ from what the release injects" } : undefined;
}

const GONE = { state: "complete", why: "it is gone" } as const;

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
  const { kube, at, held, now, report } = run;
  const object = await readWorkload(kube, workload);
  if (object === undefined) return "current";
  const why = whyLeft(object, isUrgent(run));
  if (why !== undefined) return { why };
  const judged = await judgeAgain(run, workload, object);
  if (judged !== undefined) return judged;
  const budgets = isUrgent(run) ? [] : await budgetsOf(kube, workload.namespace);
  if (blockingBudget(object, budgets) !== undefined) return "blocked";
  // The journal first: where another command has had it, nothing is begun.
  run.moving.set(name, { workload, since: now() });
  await held.write({ ...progressOf(run), waiting: run.pending.length - 1 });
  try {
    await kube.mergePatch(pathOfWorkload(workload) as string, restartPatch(object, at));
  } catch (error) {
    if (!(error instanceof OutriggerError) || error.code !== "cluster-conflict") throw error;
    // It has changed since it was read: it is looked at again.
    run.moving.delete(name);
    return "blocked";
  }
  report(`${name} is restarted`);
  return "begun";
}

/** Undefined where a new pod would still differ: it may have been restarted since, or another release may be served. */
async function judgeAgain(
  run: Run,
  { namespace, kind, name }: WorkloadName,
  object: JsonObject,
): Promise<Begun | undefined> {
  const { workloads } = await readRunning(run.kube, run, { namespace, selector: selectorOf(object) });
  const found = workloads.find((one) => one.kind === kind && one.name === name);
  if (found === undefined || !isOutdated(found)) return "current";
  const why = whyNotJudged(found);
  return why === undefined ? undefined : { why };
}

async function budgetsOf(kube: Pick<KubeClient, "list">, namespace: string): Promise<readonly JsonObject[]> {
  const budgets: JsonObject[] = [];
  const path = `/apis/policy/v1/namespaces/${encodeURIComponent(namespace)}/poddisruptionbudgets`;
  for await (const budget of kube.list(path)) budgets.push(budget);
  return budgets;
}

/** @param window `22:00-04:00`, UTC; workloads are begun within it only */
function isOpen(window: string | undefined, now: number): boolean {
  const [from, to] = window?.split("-") ?? [];
  if (from === undefined || to === undefined) return true;
  const time = new Date(now).toISOString().slice(11, 16);
  return from <= to ? from <= time && time < to : time >= from || time < to;
}
