// A restart: look at all that is in motion and at all that is done, begin what may begin, and look again. Never more workloads at a time
// than asked for; it stops at the first that does not come back, or falls, and can be gone on with from any point: every workload says
// itself whether it was begun.
import { isOwnError } from "@outrigger/base";
import {
  allowedFor,
  beginNext,
  isStopping,
  isUrgent,
  isWell,
  newMoving,
  POLL,
  progressOf,
  type RestartPorts,
  type Run,
} from "./begin-workload.ts";
import { changeInPlace } from "./change-in-place.ts";
import { type HeldJournal, takeJournal } from "./journal.ts";
import type { RestartFailure, RestartJournal } from "./journal-entry.ts";
import { patientKube } from "./patient-kube.ts";
import { changeableIn, planRestart, readWorkload } from "./plan-restart.ts";
import { showCause } from "./pod-trouble.ts";
import { podsOf } from "./pods-of-workload.ts";
import { type Moving, watchRestarted } from "./watch-workload.ts";
import { restartedAt, textOfName } from "./workload.ts";

/** Seconds that each must be well before the next. */
const BAKE = 60;

/**
 * Restarts, or goes on with the restart that a command left. Ends when every workload is back, when one does not come back, or when
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
  const kube = patientKube(asked, others.sleep, others.report);
  // What is compared with times of the cluster is the cluster's time.
  const ports = { ...others, kube, now: () => others.now() + asked.skew() };
  const held = await takeJournal(deployment, request, ports);
  try {
    const seconds = Math.round(asked.skew() / 1000);
    if (seconds !== 0)
      others.report(`This machine's clock is ${-seconds} s ahead of the API server's, whose time counts`);
    return await restartAll(held, ports);
  } catch (error) {
    // Where the cluster cannot be reached, the lease runs out by itself.
    if (!isOwnError(error, "cluster-unreachable")) await held.leave().catch(() => undefined);
    throw error;
  }
}

async function restartAll(held: HeldJournal, ports: RestartPorts): Promise<RestartJournal> {
  const { at, question, parallel, window, pause = 0, bake = BAKE } = held.current();
  const moving = await movingOf(held.current(), ports);
  const { restart, left } = await planRestart(ports.kube, ports, question);
  const changeable = question.inPlace && (await changeableIn(ports.kube, question.inPlace));
  const run: Run = {
    ...ports,
    held,
    at,
    ...(changeable && { changeable }),
    // What loses a release waits for nothing.
    bake: question.release === undefined ? bake * 1000 : 0,
    pending: restart
      .filter((workload) => !moving.has(textOfName(workload)))
      .map((workload) => ({ workload, at: 0, pause: POLL })),
    moving,
    done: new Map(),
    left: [...left.filter(({ workload }) => !moving.has(workload))],
    back: 0,
    look: { budgets: new Map() },
    assertHeld: () => held.write({}),
  };
  let failure: RestartFailure | undefined;
  let busy = ports.now();
  for (;;) {
    await held.write({});
    run.look = { budgets: new Map() };
    const why = await ports.look?.();
    failure = why === undefined ? await watchMoving(run) : { why };
    if (failure !== undefined) break;
    const isEnding = isStopping(run);
    const open = isOpen(window, ports.now()) && ports.now() - run.back >= pause * 1000;
    while (!isEnding && open && run.moving.size < parallel && (await beginNext(run))) {
      // As many as may be in motion.
    }
    const isOver = run.moving.size === 0 && (isEnding || run.pending.length === 0);
    if (isOver && !isEnding) await isWell(run);
    failure = run.look.failure;
    if (failure !== undefined || (isOver && run.look.isWell !== false)) break;
    if (run.moving.size > 0 || !open || run.look.isWell === false) busy = ports.now();
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

/** A budget that allows no disruption for so long while nothing is in motion will not by itself. */
const PATIENCE = 600_000;

function leaveBlocked({ pending, left }: Run): void {
  const why = "its PodDisruptionBudget allows no disruption";
  left.push(...pending.splice(0).map(({ workload }) => ({ workload: textOfName(workload), why })));
}

/**
 * What the command before this one has begun: the journal names it, and the workload has the time of this restart. One that is changed
 * in place is as far as its pods say.
 */
async function movingOf(
  { moving, at, question }: RestartJournal,
  { kube, now }: RestartPorts,
): Promise<Map<string, Moving>> {
  const begun = new Map<string, Moving>();
  for (const text of moving) {
    const [namespace = "", kind = "", name = ""] = text.split("/");
    const object = await readWorkload(kube, { namespace, kind, name });
    const isBegun = object !== undefined && (question.inPlace !== undefined || restartedAt(object) === at);
    if (isBegun) begun.set(text, newMoving({ namespace, kind, name }, object, await podsOf(kube, object), now()));
  }
  return begun;
}

/** Takes what is complete off the list; the first that does not come back is returned. */
async function watchMoving(run: Run): Promise<RestartFailure | undefined> {
  const { changeable, kube } = run;
  const allowed = ({ reserved }: Moving) => allowedFor(run, reserved);
  const isStopped = isStopping(run);
  for (const [name, moving] of run.moving) {
    await run.held.write({});
    const object = await readWorkload(kube, moving.workload);
    const found =
      object === undefined
        ? "back"
        : changeable === undefined
          ? await watchRestarted({ ...run, isUrgent: isUrgent(run), isStopping: isStopped }, moving, object)
          : await changeInPlace(
              { ...run, changeable, isStopping: isStopped, allowed, isWell: () => isWell(run) },
              moving,
              object,
            );
    if (run.look.failure !== undefined) return run.look.failure;
    if (found === "moving") continue;
    if (typeof found !== "string" && "why" in found) return { workload: name, ...found };
    run.moving.delete(name);
    run.back = run.now();
    if (typeof found !== "string") run.left.push({ workload: name, why: found.left });
    if (found === "back") {
      run.done.set(name, { workload: moving.workload, ready: moving.ready, falls: new Map() });
      run.report(`${name} is back`);
    }
    await run.held.write({ ...progressOf(run), done: run.held.current().done + (found === "back" ? 1 : 0) });
  }
  return undefined;
}

/** @param window `22:00-04:00`, UTC; workloads are begun within it only */
function isOpen(window: string | undefined, now: number): boolean {
  const [from, to] = window?.split("-") ?? [];
  if (from === undefined || to === undefined) return true;
  const time = new Date(now).toISOString().slice(11, 16);
  return from <= to ? from <= time && time < to : time >= from || time < to;
}
