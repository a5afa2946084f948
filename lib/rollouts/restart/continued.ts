// Whether a restart that is not finished is continued, by which question, and what is said where it is not. Pure.
import { type JsonValue, jsonEqual, OutriggerError } from "@outrigger/base";
import type { RestartFailure, RestartJournal, RestartPlanned } from "./journal-entry.ts";

/**
 * Whether there is something to continue.
 *
 * @param isResumed whether one that was stopped or failed counts
 */
export function isUnfinished({ state }: Pick<RestartJournal, "state">, isResumed: boolean): boolean {
  return state === "running" || state === "stopping" || (isResumed && state !== "done");
}

/** Why a restart stopped. */
export function failureText({ workload, why }: Pick<RestartFailure, "workload" | "why">): string {
  return workload === undefined ? why : `${workload} does not come back: ${why}`;
}

/** When a restart was interrupted: it is not finished, and no command is at it. ISO 8601, UTC. */
export function interruptedSince({ state, lease, at }: RestartJournal, now: number): string | undefined {
  const since = lease?.until ?? at;
  return isUnfinished({ state }, false) && Date.parse(since) <= now ? since : undefined;
}

/** After that, the same question may not mean the same. */
const RECENT_MILLISECONDS = 86_400_000;

/**
 * Whether a question continues a restart: one that is not finished, of the same workloads, release and mode, and not of long ago.
 *
 * @param asked `isResumed` where it continues whatever there is
 * @throws OutriggerError `cluster-conflict` where another one is not finished
 */
export function isContinued(journal: RestartJournal | undefined, asked: Asked, now: number): boolean {
  if (journal === undefined) return false;
  const { deployment, question, isResumed } = asked;
  const isSame = jsonEqual(journal.question as JsonValue, question as JsonValue) && journal.deployment === deployment;
  // What loses a release that was taken back is not kept waiting by what was begun before, nor is a share's next step.
  if (question.release !== undefined || question.share !== undefined) return isSame && isUnfinished(journal, isResumed);
  if (!isUnfinished(journal, isResumed)) return false;
  const isRecent = now - Date.parse(journal.lease?.until ?? journal.at) < RECENT_MILLISECONDS;
  if (journal.deployment === deployment && (isResumed || (isSame && isRecent))) return true;
  if (isUnfinished(journal, false)) throw unfinished(journal, deployment);
  return false;
}

interface Asked extends Pick<RestartPlanned, "question"> {
  readonly deployment: string;
  readonly isResumed: boolean;
}

/** @param asking the deployment of the command that is refused */
export function unfinished({ deployment, by, at, question }: RestartJournal, asking = deployment): OutriggerError {
  const { namespace, selector, inPlace } = question;
  const scope = [namespace && `-n ${namespace}`, selector && `-l ${selector}`, inPlace && "--in-place"].filter(Boolean);
  const of = `${scope.length === 0 ? "" : ` (${scope.join(" ")})`}${asking === deployment ? "" : ` for the deployment "${deployment}"`}`;
  const option = asking === deployment ? "" : ` --deployment ${deployment}`;
  const message = `Cannot restart workloads: the restart${of} that ${by} began at ${at} is not finished; continue it (outrigger restart resume${option}), or stop it (outrigger restart stop)`;
  return new OutriggerError("cluster-conflict", message);
}
