// A restart: look at all that is in motion and at all that is done, begin what may begin, and look again. Never more workloads at a time
// than asked for; it stops at the first that does not come back, or falls, and can be continued from any point: every workload says
// itself whether it was begun. What is done to a workload is its action.
import { ownError } from "@outrigger/base";
import { changeInPlace } from "./change-in-place.ts";
import { type HeldJournal, takeJournal } from "./journal.ts";
import type { RestartJournal } from "./journal-entry.ts";
import { changeableIn, judgeAgain, planRestart } from "./plan-restart.ts";
import { type SeenWorkload, seeWorkload } from "./pods-of-workload.ts";
import { restartPods } from "./restart-pods.ts";
import type { Look, Moving, RestartPorts, Run } from "./run.ts";
import { allowedFor, beginLook, isStopping, labelsOf, nothingSeen, readNow } from "./run.ts";
import { sayStopped } from "./say-stopped.ts";
import { isWell, watchDone, watchEarlier } from "./watch-done.ts";
import { nameOf, paceOf, whyLeft } from "./workload.ts";

/** Seconds that each must be well before the next. */
const BAKE = 60;

/**
 * Restarts, or continues the restart that a command left. Ends when every workload is back, when one does not come back, or when
 * it is stopped.
 *
 * @returns the journal as it was left
 * @throws OutriggerError `cluster-conflict` while another command restarts, or another restart is not finished
 */
export async function runRestart(
  deployment: string,
  request: Parameters<typeof takeJournal>[1],
  { kube: asked, ...others }: RestartPorts,
): Promise<RestartJournal> {
  let paused = 0;
  const sleep = (milliseconds: number) => {
    paused += 1;
    return others.sleep(milliseconds);
  };
  const kube = asked.patient({ sleep, report: others.report });
  const atOnce: Run["atOnce"] = {
    mergePatch: (...call) =>
      asked.mergePatch(...call).catch((error: unknown) => {
        ownError(error, "cluster-unreachable");
        paused += 1;
        return asked.mergePatch(...call);
      }),
  };
  // What is compared with times of the cluster is the cluster's time.
  const ports = { ...others, kube, now: () => others.now() + kube.skew(), pauses: () => paused, atOnce };
  const held = await takeJournal(deployment, request, { ...ports, kube: asked }, kube);
  try {
    const seconds = Math.round(kube.skew() / 1000);
    if (seconds !== 0)
      others.report(`This machine's clock is ${-seconds} s ahead of the API server's, whose time counts`);
    return await restartAll(held, ports);
  } catch (error) {
    await held.leave();
    throw error;
  }
}

async function restartAll(held: HeldJournal, ports: PatientPorts): Promise<RestartJournal> {
  const run = await runOf(held, ports);
  const { window, parallel, pause = 0 } = held.current();
  let busy = run.now();
  for (;;) {
    await held.write({});
    beginLook(run);
    const why = await run.look?.();
    if (why !== undefined) run.failure = { why };
    else await watchMoving(run);
    if (run.failure !== undefined) break;
    const isEnding = isStopping(run);
    const open = isOpen(window, run.now()) && run.now() - run.back >= pause * 1000;
    while (!isEnding && open && run.moving.size < parallel && (await beginNext(run))) {
      // As many as may be in motion.
    }
    const isOver = run.moving.size === 0 && (isEnding || run.pending.length === 0);
    if (isOver && !isEnding) await isWell(run);
    if (run.failure !== undefined || (isOver && run.seen.isWell !== false)) break;
    const moving = [...run.moving.values()];
    const isAwaited = moving.length === 0 ? !open : moving.some(({ taken }) => taken > 0);
    if (isAwaited || run.seen.isWell === false) busy = run.now();
    if (run.now() - busy <= PATIENCE) await run.sleep(POLL);
    else {
      leaveBlocked(run);
      busy = run.now();
    }
  }
  const { failure } = run;
  const state = failure !== undefined ? "failed" : isStopping(run) ? "stopped" : "done";
  await held.release({ ...progressOf(run), state, ...(failure !== undefined && { failure }) });
  if (failure !== undefined) await sayStopped(run, failure);
  return held.current();
}

/** Milliseconds from one look to the next. */
const POLL = 2000;

type PatientPorts = RestartPorts & Pick<Run, "pauses" | "atOnce">;

async function runOf(held: HeldJournal, ports: PatientPorts): Promise<Run> {
  const { at, question, bake = BAKE, moving: begun, done } = held.current();
  const { inPlace } = question;
  const isUrgent = question.release !== undefined;
  const run: Run = {
    ...ports,
    held,
    at,
    action: inPlace === undefined ? restartPods : changeInPlace(await changeableIn(ports.kube, inPlace)),
    isUrgent,
    // What loses a release waits for nothing.
    bake: isUrgent ? 0 : bake * 1000,
    pending: [],
    moving: new Map(),
    done: new Map(),
    left: [],
    untried: new Set(),
    judged: new Map(),
    back: 0,
    seen: nothingSeen(ports),
  };
  // What the command before this one has begun: the journal names it, and its workload says so, or its pods.
  for (const name of begun) {
    const seen = await seeWorkload(run.kube, name);
    const isBegun = seen !== undefined && (inPlace !== undefined || restartPods.isBegun(run, seen));
    if (isBegun) run.moving.set(name, newMoving(run, seen));
  }
  if (done > 0) await watchEarlier(run, question);
  const { restart, left } = await planRestart(run.kube, ports, question);
  const names = restart.map(nameOf).filter((name) => !run.moving.has(name));
  run.pending.push(...names.map((name) => ({ name, at: 0, pause: POLL })));
  run.left.push(...left.filter(({ workload }) => !run.moving.has(workload)));
  return run;
}

/** A workload that is about to be restarted. It takes as many pods of its budgets as its own strategy lets be down. */
function newMoving(run: Run, seen: SeenWorkload): Moving {
  const taken = paceOf(seen.object, seen.pods.length);
  const known = { since: run.now(), read: readNow(run), marks: new Set<string>(), tried: new Set<string>() };
  return { ...seen, ...known, labels: labelsOf(seen), taken };
}

function progressOf({ pending, moving, left }: Run): Partial<RestartJournal> {
  return { moving: [...moving.keys()], waiting: pending.length, left };
}

/** A budget that allows no disruption for so long while nothing else takes it will not by itself. */
const PATIENCE = 600_000;

/**
 * Leaves the workloads that wait for a budget while they are in motion. If none is in motion, it leaves those that are
 * to be begun.
 */
function leaveBlocked({ pending, moving, left }: Run): void {
  const waiting: readonly Pick<Moving, "name" | "blocked">[] =
    moving.size > 0 ? [...moving.values()] : pending.splice(0);
  for (const { name, blocked = "its PodDisruptionBudget allows no disruption" } of waiting) {
    left.push({ workload: name, why: blocked });
  }
  moving.clear();
}

/** A workload is read again so many times in a look because calls waited: then what was read before one that waited is good enough. */
const AGAIN = 2;

/** Takes what is complete off the list, and stops at the first that does not come back. */
async function watchMoving(run: Run): Promise<void> {
  const { kube, held } = run;
  for (const [name, moving] of run.moving) {
    let found: Look = "stale";
    for (let left = AGAIN; found === "stale" && left >= 0; left--) {
      await held.write({});
      moving.read = { ...readNow(run), ...(left === 0 && { pauses: undefined }) };
      const seen = await seeWorkload(kube, name);
      Object.assign(moving, seen ?? { pods: [] });
      found = seen === undefined ? "back" : await run.action.look(run, moving);
      if (run.failure !== undefined) return;
    }
    if (found === "moving" || found === "stale") continue;
    if (typeof found !== "string" && "why" in found) {
      run.failure = { workload: name, ...found };
      return;
    }
    run.moving.delete(name);
    run.back = run.now();
    if (typeof found !== "string") run.left.push({ workload: name, why: found.left });
    const isBack = found === "back";
    if (isBack) watchDone(run, moving);
    if (isBack) run.report(`${name} is back`);
    await held.write({ ...progressOf(run), done: held.current().done + (isBack ? 1 : 0) });
  }
}

/** The number of workloads for which one look asks what a restart would wait for. */
const ASKED = 6;
/** The longest pause, in milliseconds, before a workload is asked again whether it can begin. */
const LONGEST_PAUSE = 64_000;

/** Begins one more; false where none can be begun now. */
async function beginNext(run: Run): Promise<boolean> {
  const due = run.pending.filter(({ at }) => at <= run.now()).slice(0, ASKED);
  for (const pending of due) {
    if (!(await isWell(run))) return false;
    await run.held.write({});
    const outcome = await begin(run, pending.name);
    if (outcome === "blocked") {
      pending.at = run.now() + pending.pause;
      pending.pause = Math.min(2 * pending.pause, LONGEST_PAUSE);
      continue;
    }
    run.pending.splice(run.pending.indexOf(pending), 1);
    if (outcome === "begun") return true;
    if (outcome !== "current") run.left.push({ workload: pending.name, why: outcome.why });
    await run.held.write(progressOf(run));
  }
  return false;
}

type Begun = "begun" | "blocked" | "current" | { readonly why: string };

async function begin(run: Run, name: string): Promise<Begun> {
  const { kube, held, action } = run;
  const seen = await seeWorkload(kube, name);
  if (seen === undefined) return "current";
  const moving = newMoving(run, seen);
  const isBegun = action.isBegun(run, seen);
  if (!isBegun) {
    const left = whyLeft(seen.object, run.isUrgent);
    if (left !== undefined) return { why: left };
    const judged = await judgeAgain(run, seen.pods);
    if (judged === "current" || typeof judged === "object") return judged;
    if ((await allowedFor(run, moving)).pods <= 0) return "blocked";
    const why = await action.whyLeft(run, seen, judged);
    if (why === "later") return "blocked";
    if (why !== undefined) return why;
  }
  // The journal first: where another command has had it, nothing is begun.
  run.moving.set(name, moving);
  await held.write({ ...progressOf(run), waiting: run.pending.length - 1 });
  // Calls that waited may be long ago: what was read before one is asked again.
  const isFree = isBegun || ((await isWell(run)) && (await allowedFor(run, moving)).pods + moving.taken > 0);
  const begun = isFree && (isBegun || (await action.begin(run, moving)));
  if (begun !== true) {
    run.moving.delete(name);
    // It is looked at again.
    return begun || "blocked";
  }
  run.report(`${name} is ${action.word}`);
  return "begun";
}

/** @param window `22:00-04:00`, UTC; workloads are begun within it only */
function isOpen(window: string | undefined, now: number): boolean {
  const [from, to] = window?.split("-") ?? [];
  if (from === undefined || to === undefined) return true;
  const time = new Date(now).toISOString().slice(11, 16);
  return from <= to ? from <= time && time < to : time >= from || time < to;
}
