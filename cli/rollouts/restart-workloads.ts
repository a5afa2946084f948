// From a plan to restarted workloads: shows the plan, asks, restarts, and says how it ended. Loaded only when a command runs.
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { OutriggerError, plural } from "@outrigger/base";
import { SETTLE_MILLISECONDS } from "@outrigger/cluster";
import {
  assertFree,
  failureText,
  interruptedSince,
  isContinued,
  planRestart,
  type RestartJournal,
  type RestartPlan,
  type RestartQuestion,
  readJournal,
  runRestart,
  stillDown,
  tryPlan,
} from "@outrigger/rollouts";
import { stopSignal } from "../connect/connect-cluster.ts";
import { readChannels } from "../releases/read-records.ts";
import { askYes } from "../terminal/ask-yes.ts";
import type { Io } from "../terminal/io.ts";
import { printResult, table } from "../terminal/print.ts";
import { printable } from "../terminal/printable.ts";
import type { RunningCluster } from "./running-cluster.ts";

/** The way in which a person asked for a restart. */
interface AskedRestart {
  readonly dryRun?: true;
  readonly json?: true;
  /** No question is asked before the restart begins. */
  readonly yes?: true;
}

/** How a restart of a cluster ended, or what it would begin with. */
export interface RestartEnd {
  readonly value: object;
  readonly text: string;
  /** Workloads. */
  readonly done: number;
  readonly left: number;
  readonly said: string;
  readonly finding?: OutriggerError;
  /** Only some were left as they are: no reason to restart no other cluster. */
  readonly isHarmless?: boolean;
}

type RestartSettings = Parameters<typeof runRestart>[1] & AskedRestart;

/** @throws OutriggerError `findings` where a workload did not come back, or some were left */
export async function restartWorkloads(cluster: RunningCluster, settings: RestartSettings, io: Io): Promise<void> {
  const end = await restartCluster(cluster, settings, io);
  if (end === undefined) return;
  printResult(io, settings.json, { cluster: cluster.name, ...end.value }, end.text);
  if (end.finding !== undefined) throw end.finding;
}

/**
 * Restarts the workloads of a cluster, or plans it, and says how it ended; undefined where there was no restart to continue.
 *
 * @throws OutriggerError where it could not be begun, or not be continued
 */
export async function restartCluster(
  cluster: RunningCluster,
  settings: RestartSettings,
  io: Io,
): Promise<RestartEnd | undefined> {
  const { kube, name, deployment } = cluster;
  const report = (line: string) => void io.stderr.write(printable(`${line}\n`));
  const earlier = await readJournal(kube);
  const isUrgent = settings.question.release !== undefined;
  const asked = { ...settings, deployment: deployment.target.stage };
  const isGoingOn = earlier !== undefined && isContinued(earlier, asked, Date.now());
  if (settings.isResumed && !isGoingOn) {
    report("There is no restart to continue");
    return undefined;
  }
  const down = settings.yes === true && !settings.isResumed && !isUrgent ? await stillDown(kube, earlier) : undefined;
  if (down !== undefined) {
    // A job that runs every night must not break one workload more each time.
    const message = `Nothing is restarted with --yes: ${down} stopped the last restart, and is not back; take the release back (outrigger rollback CHANNEL --restart), or continue (outrigger restart resume)`;
    throw new OutriggerError("findings", message);
  }
  if (isGoingOn) assertFree(earlier, Date.now() + kube.skew());
  if (isGoingOn) report(`Continuing the restart that ${earlier.by} began at ${earlier.at}`);
  const question = isGoingOn ? earlier.question : settings.question;
  const { untried, ...plan } = await tried(cluster, await planRestart(kube, cluster, question), question);
  for (const why of untried) report(`Next pods are not tried before a restart: ${why}`);
  if (settings.dryRun === true) {
    const restart = plan.restart.map(({ namespace, kind, name, pods }) => ({ namespace, kind, name, pods }));
    return {
      value: { restart, left: plan.left },
      text: `${planText(plan, question)}(dry run: nothing was restarted)\n`,
      done: 0,
      left: plan.left.length,
      said: `would restart ${restart.length} ${plural(restart.length, "workload")}`,
    };
  }
  report(planText(plan, question).trimEnd());
  const isAsked = plan.restart.length > 0 && !isGoingOn && settings.yes !== true;
  const what = `${plan.restart.length} ${plural(plan.restart.length, "workload")} of ${name}`;
  const words = question.inPlace === undefined ? `Restart ${what}?` : `Change the pods of ${what} where they run?`;
  if (isAsked) await askYes(io, words, "Nothing was restarted");
  await untilServed(cluster, io);
  const journal = await runRestart(
    deployment.target.stage,
    { ...settings, question },
    {
      ...cluster,
      now: Date.now,
      sleep: io.sleep ?? pause,
      report,
      id: randomUUID(),
      by: await deployment.caller(),
      signal: stopSignal(io, report, STOPPING),
      whyMoved: whileServed(cluster),
      // A restart asks the webhook for what is served; images that are written here are those of the release that was read.
      ...(question.inPlace !== undefined && { look: whileServed(cluster) }),
    },
  );
  return endOf(journal);
}

/** How a restart is, or ended. */
export function endOf(journal: RestartJournal): RestartEnd {
  const { state, done, left, unlisted = 0 } = journal;
  const why = whyNotDone(journal);
  return {
    value: journal,
    text: endText(journal),
    done,
    left: left.length + unlisted,
    said: why ?? "all are back",
    ...(why !== undefined && { finding: new OutriggerError("findings", why) }),
    isHarmless: state === "done",
  };
}

/** Pods that are changed where they run need no new ones. */
async function tried(cluster: RunningCluster, plan: RestartPlan, { inPlace }: RestartQuestion) {
  return inPlace === undefined ? tryPlan(cluster, plan) : { ...plan, untried: [] };
}

/** The reason why nothing more is to be changed. */
function whileServed({ isStillServed }: RunningCluster): () => Promise<string | undefined> {
  return async () => ((await isStillServed()) ? undefined : "another release is served by now: run the command again");
}

/**
 * The plan of a restart, for people.
 *
 * @param stepOf the share of a rollout with which a workload is restarted, where there is one
 */
export function planText(
  { restart, left }: RestartPlan,
  { inPlace }: RestartQuestion,
  stepOf: (workload: RestartPlan["restart"][number]) => number | undefined = () => undefined,
): string {
  const pods = restart.reduce((sum, workload) => sum + workload.pods, 0);
  const steps = restart.map(stepOf);
  const rows = restart.map(({ namespace, kind, name, pods }, index) => {
    const step = steps[index];
    return [namespace, `${kind}/${name}`, `${pods}`, ...(step === undefined ? [] : [`${step} %`])];
  });
  const titles = ["NAMESPACE", "WORKLOAD", "PODS", ...(steps[0] === undefined ? [] : ["SHARE"])];
  const [verb, none] = inPlace === undefined ? ["restart", ": new pods would be the same"] : ["change in place", ""];
  const count = `${restart.length} ${plural(restart.length, "workload")} with ${pods} ${plural(pods, "pod")}`;
  const head = `To ${verb}, in this order: ${count}\n`;
  const what = rows.length === 0 ? `Nothing to ${verb}${none}\n` : head + table(titles, rows);
  return what + (inPlace === undefined ? "" : interruptions(restart)) + leftText(left);
}

/** Says what a change in place interrupts, if containers were named that do more than help. */
function interruptions(restart: RestartPlan["restart"]): string {
  const lines = restart.flatMap(({ example }) => {
    const verdict = example?.verdict;
    if (verdict?.state !== "outdated" || "why" in verdict.inPlace) return [];
    const changed = [...verdict.inPlace.images, ...verdict.inPlace.resources];
    return changed.flatMap(({ name, caution }) => (caution ? [`${name} ${EFFECTS[caution]}\n`] : []));
  });
  return [...new Set(lines)].join("");
}

const EFFECTS = {
  traffic:
    "carries traffic: while it restarts, open connections of its pod are cut and new ones fail; a restart has no such gap",
  ended: "has run already: what is new in it counts when its pod restarts",
  application: "is the application's own container: the application restarts",
} as const;

function leftText(left: RestartPlan["left"], unlisted = 0): string {
  if (left.length === 0) return "";
  const more = unlisted === 0 ? "" : `and ${unlisted} more (outrigger restart --dry-run)\n`;
  const rows = left.map(({ workload, why }) => [workload, why]);
  return `Left as they are:\n${table(["WORKLOAD", "WHY"], rows)}${more}`;
}

/** Every container of the inject function knows a release some seconds after it was made the channel's. */
export async function untilServed({ deployment, kube }: RunningCluster, io: Io): Promise<void> {
  const moves = Object.values(await readChannels(deployment, io)).flatMap(({ history }) => history);
  const latest = Math.max(0, ...moves.map(({ at }) => Date.parse(at) || 0));
  const wait = latest + SETTLE_MILLISECONDS - Date.now() - kube.skew();
  if (wait > 0) await (io.sleep ?? pause)(wait);
}

/** The message once the restart is to stop. */
export const STOPPING = "Beginning nothing more, and waiting for what is under way";

/** The state of a restart, for people. */
export function endText(journal: RestartJournal): string {
  const { state, at, by, done, moving, waiting, left, unlisted, failure } = journal;
  const interrupted = interruptedSince(journal, Date.now());
  const is = interrupted === undefined ? WORDS[state] : `interrupted since ${interrupted}`;
  const moves = moving.length === 0 ? "" : `, ${moving.length} under way (${moving.join(", ")})`;
  // A command that was killed in its first second has counted nothing.
  const how = waiting === undefined ? "nothing is begun yet" : `${done} done${moves}, ${waiting} not begun`;
  const head = `The restart that ${by} began at ${at} is ${is}: ${how}\n`;
  const stop = failure === undefined ? "" : `${failureText(failure)}\n`;
  return head + stop + leftText(left, unlisted);
}

const WORDS: Readonly<Record<RestartJournal["state"], string>> = {
  running: "under way",
  stopping: "stopping",
  stopped: "stopped",
  failed: "stopped by a workload that does not come back",
  done: "complete",
};

function whyNotDone(journal: RestartJournal): string | undefined {
  const { state, failure, left, unlisted = 0 } = journal;
  if (interruptedSince(journal, Date.now()) !== undefined) {
    return "The restart was interrupted: continue it (outrigger restart resume), or stop it (outrigger restart stop)";
  }
  if (failure !== undefined) {
    return `${failureText(failure)}; look at its pods, then take the release back (outrigger rollback CHANNEL --restart) or continue (outrigger restart resume)`;
  }
  if (state === "stopped") return "The restart was stopped: continue with outrigger restart resume";
  const count = left.length + unlisted;
  return count === 0
    ? undefined
    : `${count} ${plural(count, "workload was left as it is", "workloads were left as they are")}`;
}
