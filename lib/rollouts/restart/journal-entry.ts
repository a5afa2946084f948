// What the journal of a restart says: what was asked for, who is at it, how far it is, and why it stopped; and whether one that is not
// finished is continued, by which question. Pure.
import { jsonEqual, OutriggerError } from "@outrigger/base";
import type { KubeClient, RunningQuestion } from "@outrigger/cluster";
import type { Tally } from "../judge/measure-pods.ts";

/** The question which workloads are restarted. */
export interface RestartQuestion extends RunningQuestion {
  /** The release that must have made a pod of a workload; undefined for workloads with pods of any release. */
  readonly release?: string;
  /** A share: only workloads whose new pods get this release of this channel are restarted. `since` is when it was first served. */
  readonly share?: { readonly channel: string; readonly release: string; readonly since: string };
  /** Pods are changed where they run, and those that need more are left: which containers may be that are left alone otherwise. */
  readonly inPlace?: readonly string[];
}

/** A workload that stays as it is, although a new pod of it would differ. */
export interface LeftWorkload {
  /** `shop/Deployment/web` */
  readonly workload: string;
  readonly why: string;
}

/** The lease of the command that does the restart: its holder, and the time until which no other command may take over. */
export interface Lease {
  readonly id: string;
  readonly by: string;
  /** ISO 8601, UTC. */
  readonly until: string;
}

/** The cause that keeps a workload from coming back. */
export interface Cause {
  readonly why: string;
  readonly pod?: string;
  readonly container?: string;
  /** Set where the author is at fault: an image of its own cannot be pulled. */
  readonly isOwn?: true;
}

export interface RestartFailure extends Cause {
  /** The one that does not come back; left out where it is not a workload that stopped it. */
  readonly workload?: string;
  /** Set where the workload was not begun: the cluster would not take its next pod. */
  readonly isUntouched?: true;
}

/** The settings of a new restart. One that is continued has those of its journal. */
export interface RestartPlanned {
  readonly question: RestartQuestion;
  /** The largest number of workloads that are restarted at the same time. */
  readonly parallel: number;
  /** `22:00-04:00`, UTC; left out, at any time. */
  readonly window?: string;
  /** Seconds from one that is back to the next that is begun. */
  readonly pause?: number;
  /** Seconds that each must be well before the next; left out, a minute. */
  readonly bake?: number;
  /** The reason for the restart: why a release was taken back. */
  readonly why?: string;
  /** The workloads' troubles before the restart, where their pods are judged. */
  readonly before?: Tally;
}

/** A restart, as its journal has it. */
export interface RestartJournal extends RestartPlanned {
  /** The deployment whose release it is. */
  readonly deployment: string;
  /** The start of the restart, which its workloads are marked with: ISO 8601, UTC. */
  readonly at: string;
  readonly by: string;
  readonly state: "running" | "stopping" | "stopped" | "failed" | "done";
  /** Grows with each command that takes it over. */
  readonly epoch: number;
  readonly lease?: Lease;
  readonly done: number;
  /** `shop/Deployment/web`: begun, and not complete yet. */
  readonly moving: readonly string[];
  /** How many are not begun; left out until they are counted. */
  readonly waiting?: number;
  readonly left: readonly LeftWorkload[];
  /** More that are left, and do not fit. */
  readonly unlisted?: number;
  readonly failure?: RestartFailure;
  /** The end of the restart: ISO 8601, UTC. */
  readonly ended?: string;
}

export interface JournalPorts {
  readonly kube: KubeClient;
  readonly now: () => number;
  /** The id of this command alone. */
  readonly id: string;
  readonly by: string;
  /** Calls again and again, until what it gives back is called. Left out: by this machine's clock. */
  readonly every?: (milliseconds: number, call: () => void) => () => void;
}

/** Whether a command is at it, or was when it was interrupted. One that was stopped or failed may be continued all the same. */
export function isUnderWay({ state }: Pick<RestartJournal, "state">): boolean {
  return state === "running" || state === "stopping";
}

/** The message for a restart that stopped. */
export function failureText({ workload, why, isUntouched }: RestartFailure): string {
  if (workload === undefined) return why;
  return isUntouched === true ? `${workload} was not restarted: ${why}` : `${workload} does not come back: ${why}`;
}

/** The time since when a restart is interrupted, which means not finished and run by no command; undefined for any other. ISO 8601, UTC. */
export function interruptedSince(journal: RestartJournal, now: number): string | undefined {
  const since = journal.lease?.until ?? journal.at;
  return isUnderWay(journal) && Date.parse(since) <= now ? since : undefined;
}

/** The age after which the same question may have come to mean something else. */
const RECENT_MILLISECONDS = 86_400_000;

/**
 * Whether a question continues a restart: one that is not finished, of the same workloads, release and mode, and not of long ago.
 *
 * @param asked `isResumed` where it continues whatever there is
 * @throws OutriggerError `cluster-conflict` where another one is not finished
 */
export function isContinued(
  journal: RestartJournal,
  asked: Pick<RestartJournal, "deployment" | "question"> & { readonly isResumed: boolean },
  now: number,
): boolean {
  const { deployment, question, isResumed } = asked;
  const isSame = jsonEqual(journal.question, question) && journal.deployment === deployment;
  // What loses a release that was taken back is not kept waiting by what was begun before, nor is a share's next step.
  const isUnfinished = isUnderWay(journal) || (isResumed && journal.state !== "done");
  if (question.release !== undefined || question.share !== undefined) return isSame && isUnfinished;
  if (!isUnfinished) return false;
  const isRecent = now - Date.parse(journal.lease?.until ?? journal.at) < RECENT_MILLISECONDS;
  if (journal.deployment === deployment && (isResumed || (isSame && isRecent))) return true;
  if (isUnderWay(journal)) throw unfinished(journal, deployment);
  return false;
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
