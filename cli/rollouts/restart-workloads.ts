// From a plan to restarted workloads: shows the plan, asks, restarts, and says how it ended. Loaded only when a command runs.
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { OutriggerError } from "@outrigger/base";
import { SETTLE_MILLISECONDS } from "@outrigger/cluster";
import {
  isUnfinished,
  planRestart,
  type RestartJournal,
  type RestartPlan,
  type RestartQuestion,
  readJournal,
  runRestart,
} from "@outrigger/rollouts";
import { readChannels } from "../releases/read-records.ts";
import type { Io } from "../terminal/io.ts";
import { printResult, table } from "../terminal/print.ts";
import { printable } from "../terminal/printable.ts";
import type { RunningCluster } from "./running-cluster.ts";

export interface RestartSettings {
  readonly question: RestartQuestion;
  readonly parallel: number;
  readonly window?: string;
  readonly pause?: number;
  readonly isResumed: boolean;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly json?: true;
}

/**
 * @throws OutriggerError `findings` where a workload did not come back, or some were left
 */
export async function restartWorkloads(cluster: RunningCluster, settings: RestartSettings, io: Io): Promise<void> {
  const { kube, name, deployment } = cluster;
  const report = (line: string) => void io.stderr.write(printable(`${line}\n`));
  const earlier = await readJournal(kube);
  const isUrgent = settings.question.release !== undefined;
  const isGoingOn = earlier !== undefined && !isUrgent && isUnfinished(earlier, settings.isResumed);
  if (settings.isResumed && !isGoingOn) {
    report("There is no restart to go on with");
    return;
  }
  if (isGoingOn) report(`Going on with the restart that ${earlier.by} began at ${earlier.at}`);
  const question = isGoingOn ? earlier.question : settings.question;
  const plan = await planRestart(kube, cluster, question);
  if (settings.dryRun === true) {
    const shown = { cluster: name, restart: plan.restart.map(namesOf), left: plan.left };
    printResult(io, settings.json, shown, `${planText(plan)}(dry run: nothing was restarted)\n`);
    return;
  }
  report(planText(plan).trimEnd());
  if (plan.restart.length > 0 && !isGoingOn) await confirm(plan, name, settings, io);
  await untilServed(cluster, io);
  const journal = await runRestart(
    deployment.target.stage,
    { ...settings, question },
    {
      ...cluster,
      now: Date.now,
      sleep: io.sleep ?? (async (milliseconds) => void (await pause(milliseconds))),
      report,
      id: randomUUID(),
      by: await deployment.caller(),
      signal: stopSignal(io, report),
    },
  );
  printResult(io, settings.json, { cluster: name, ...journal }, endText(journal));
  assertDone(journal);
}

function namesOf({ namespace, kind, name, pods }: RestartPlan["restart"][number]) {
  return { namespace, kind, name, pods };
}

function planText({ restart, left }: RestartPlan): string {
  const pods = restart.reduce((sum, workload) => sum + workload.pods, 0);
  const rows = restart.map(({ namespace, kind, name, pods }) => [namespace, `${kind}/${name}`, `${pods}`]);
  const head =
    restart.length === 0
      ? "Nothing to restart: new pods would be the same\n"
      : `To restart, in this order: ${restart.length} workloads with ${pods} pods\n${table(["NAMESPACE", "WORKLOAD", "PODS"], rows)}`;
  return head + leftText(left);
}

function leftText(left: RestartPlan["left"]): string {
  if (left.length === 0) return "";
  return `Left as they are:\n${table(
    ["WORKLOAD", "WHY"],
    left.map(({ workload, why }) => [workload, why]),
  )}`;
}

async function confirm({ restart }: RestartPlan, cluster: string, { yes }: RestartSettings, io: Io): Promise<void> {
  if (yes === true) return;
  if (io.ask === undefined) {
    throw new OutriggerError(
      "usage",
      "Cannot ask: there is no terminal; say --yes, or look at the plan with --dry-run",
    );
  }
  const answer = await io.ask(`Restart ${restart.length} workloads of ${cluster}? [y/N] `);
  if (!/^y(es)?$/i.test(answer)) throw new OutriggerError("usage", "Nothing was restarted");
}

/** Every container of the inject function knows a release some seconds after it was made the channel's. */
export async function untilServed({ deployment }: RunningCluster, io: Io): Promise<void> {
  const moved = Object.values(await readChannels(deployment, io)).flatMap(({ history }) =>
    history.map(({ at }) => Date.parse(at)),
  );
  const wait = Math.max(...moved.filter((at) => !Number.isNaN(at)), 0) + SETTLE_MILLISECONDS - Date.now();
  if (wait > 0) await (io.sleep ?? ((milliseconds: number) => pause(milliseconds)))(wait);
}

/** Aborted by the first Ctrl-C. */
export function stopSignal(io: Io, report: (line: string) => void): AbortSignal {
  const controller = new AbortController();
  void io.stopped().then(() => {
    report("Beginning nothing more, and waiting for what is under way; press Ctrl-C again to quit at once");
    controller.abort();
  });
  return controller.signal;
}

/** How a restart is, for people. */
export function endText({ state, at, by, done, moving, waiting, left, failure }: RestartJournal): string {
  const moves = moving.length === 0 ? "" : `, ${moving.length} under way (${moving.join(", ")})`;
  const head = `The restart that ${by} began at ${at} is ${WORDS[state]}: ${done} done${moves}, ${waiting} not begun\n`;
  const stop = failure === undefined ? "" : `${failureText(failure)}\n`;
  return head + stop + leftText(left);
}

function failureText({ workload, why }: NonNullable<RestartJournal["failure"]>): string {
  return workload === undefined ? why : `${workload} does not come back: ${why}`;
}

const WORDS: Readonly<Record<RestartJournal["state"], string>> = {
  running: "under way",
  stopping: "stopping",
  stopped: "stopped",
  failed: "stopped by a workload that does not come back",
  done: "complete",
};

/** @throws OutriggerError `findings` where it is not complete, or left workloads as they are */
export function assertDone({ state, failure, left }: RestartJournal): void {
  if (failure !== undefined) {
    const logs =
      "look at its pods, then take the release back (outrigger rollback CHANNEL --restart) or go on (outrigger restart resume)";
    throw new OutriggerError("findings", `${failureText(failure)}; ${logs}`);
  }
  if (state === "stopped") {
    throw new OutriggerError("findings", "The restart was stopped: go on with outrigger restart resume");
  }
  if (left.length > 0) throw new OutriggerError("findings", `${left.length} workloads were left as they are`);
}
