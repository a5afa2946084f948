// `outrigger restart`, of one cluster or of several: one cluster after the other, each by its own journal and budgets. Loaded only when
// the command runs.
import { defined, OutriggerError } from "@outrigger/base";
import { readJournal, stopJournal } from "@outrigger/rollouts";
import type { RunningOptions } from "../options/cluster-options.ts";
import type { SelectionOptions } from "../options/selection-options.ts";
import { readChannels } from "../releases/read-records.ts";
import { endOf, type RestartEnd, restartCluster, restartWorkloads } from "../rollouts/restart-workloads.ts";
import { openRunning, type RunningCluster, servingOf } from "../rollouts/running-cluster.ts";
import type { Io } from "../terminal/io.ts";
import { printResult } from "../terminal/print.ts";
import { openFleet } from "./open-fleet.ts";
import { ownIos } from "./own-io.ts";
import { type ClusterAnswer, printEach } from "./print-each.ts";
import type { SelectedCluster } from "./select-clusters.ts";
import { withRings } from "./with-rings.ts";

interface RestartOptions extends RunningOptions, SelectionOptions {
  readonly json?: true;
  readonly namespace?: string;
  readonly selector?: string;
  readonly parallel: number;
  readonly window?: string;
  readonly pause?: number;
  readonly bake?: number;
  readonly inPlace?: true;
  readonly container?: readonly string[];
  readonly dryRun?: true;
  readonly yes?: true;
}

type Action = "status" | "stop" | "resume" | undefined;

export async function restartAlone(action: Action, options: RestartOptions, io: Io): Promise<void> {
  const cluster = await openRunning(options, io);
  if (action === undefined || action === "resume") return restartWorkloads(cluster, settingsOf(action, options), io);
  const { value, text, finding } = await lookAt(action, cluster);
  printResult(io, options.json, value, text);
  if (action === "status" && finding !== undefined) throw finding;
}

/**
 * Restarts the clusters that the options select, and begins nothing more after the first that is not well; or says how the restart of each
 * is, or stops each.
 *
 * @param commandFor the same command, for other clusters
 */
export async function restartFleet(
  action: Action,
  options: RestartOptions,
  commandFor: (clusters: readonly string[]) => string,
  io: Io,
): Promise<void> {
  const { clusters: selected, deployment } = await openFleet(options, io);
  // Hours may pass between two clusters: what is served is read for each.
  const open = ({ place }: SelectedCluster) => openRunning({ ...options, ...place }, io, servingOf(deployment, io));
  const question = { ...options, headings: ["DONE", "LEFT"] };
  if (action === "status" || action === "stop") {
    const look = async (cluster: SelectedCluster) => lookedAt(action, await lookAt(action, await open(cluster)));
    return printEach(selected, { ...question, maxConcurrency: Math.max(options.maxConcurrency, LOOKS) }, look, io);
  }
  const ringed = withRings(selected, await readChannels(deployment, io));
  // A person who names clusters says in which order, too.
  const clusters = options.clusters === undefined ? ringed.toSorted((one, other) => one.ring - other.ring) : ringed;
  const withOwn = ownIos(io);
  const restart = (cluster: SelectedCluster) =>
    withOwn(cluster.name, async (own) =>
      rowOf(await restartCluster(await open(cluster), settingsOf(action, options), own)),
    );
  const stops = options.dryRun === true ? {} : { continueWith: commandFor };
  await printEach(clusters, { ...question, ...stops, isQuiet: true }, restart, io);
}

/** A look at a journal changes nothing. */
const LOOKS = 20;

/** The row of a cluster whose restart was looked at, or stopped: that one was stopped is no finding. */
export function lookedAt(action: "status" | "stop", { finding, ...end }: RestartEnd): ClusterAnswer {
  return rowOf(action === "status" ? { ...end, ...defined({ finding }) } : end);
}

/** The row of a cluster whose restart has ended, or was looked at. */
export function rowOf(end: RestartEnd | undefined): ClusterAnswer {
  if (end === undefined) return { value: {}, cells: ["0", "0"], said: "there is no restart to continue" };
  const { value, done, left, said, finding, isHarmless } = end;
  return { value, cells: [String(done), String(left)], said, ...defined({ finding, isHarmless }) };
}

/**
 * How a restart is, or how it is once it was asked to stop.
 *
 * @throws OutriggerError `cluster-unknown` where nothing was restarted yet
 */
export async function lookAt(action: "status" | "stop", { kube, name }: Pick<RunningCluster, "kube" | "name">) {
  const journal = action === "stop" ? await stopJournal(kube, Date.now()) : await readJournal(kube);
  if (journal === undefined) throw new OutriggerError("cluster-unknown", `Nothing was restarted in ${name} yet`);
  return endOf(journal);
}

/** The settings of a restart, with the question that the options ask. */
export function settingsOf(action: Action, options: RestartOptions) {
  const { namespace, selector, inPlace, container } = options;
  const question = defined({ namespace, selector, inPlace: inPlace && (container ?? []) });
  return { ...options, question, isResumed: action === "resume" };
}
