// The clusters that a command's options name or select, opened and asked while people see how far it is. Loaded only when a command runs.
import { defined, OutriggerError, ownError } from "@outrigger/base";
import type { RunningQuestion } from "@outrigger/cluster";
import { atMost } from "../fleet/at-most.ts";
import { openFleet } from "../fleet/open-fleet.ts";
import type { SelectedCluster } from "../fleet/select-clusters.ts";
import { eachCluster, type FleetOptions } from "../options/cluster-options.ts";
import { CLUSTERS_AT_ONCE, type SelectionOptions, selectsClusters } from "../options/selection-options.ts";
import type { Io } from "../terminal/io.ts";
import { withProgress } from "../terminal/print.ts";
import { openRunning, type RunningCluster, servingOf } from "./running-cluster.ts";

/** Clusters by name, or by a selection of those that are registered. */
export type AskedOptions = FleetOptions & Partial<SelectionOptions>;

type Ask<Answer> = (
  clusters: readonly RunningCluster[],
  question: RunningQuestion,
  report: (cluster: string, pods: number) => void,
) => Promise<Answer>;

/** A cluster of a selection that could not be asked, and why. */
export interface LeftOut {
  readonly cluster: string;
  /** Of how many pods it said something before; left out where it could not be opened. */
  readonly pods?: number;
  readonly code: OutriggerError["code"];
  readonly message: string;
}

/**
 * Opens the clusters, and asks about those of their pods that the options select. Of a selection, one that cannot be opened is left out, and is
 * with the answer; so is one whose pods could not all be read.
 *
 * @throws OutriggerError where a cluster that is named cannot be opened, or none of a selection
 */
export async function askFleet<Answer extends object>(
  options: AskedOptions,
  io: Io,
  ask: Ask<Answer>,
): Promise<Answer & { readonly leftOut: readonly LeftOut[] }> {
  const { namespace, selector } = options;
  return withProgress(io, async (report) => {
    report("Connecting");
    const { clusters, leftOut } = selectsClusters(options)
      ? await openSelected(options, io)
      : { clusters: await openNamed(options, io), leftOut: [] };
    const answer = await ask(clusters, defined({ namespace, selector }), (name, pods) =>
      report(`${pods} pods of ${name}`),
    );
    return { ...answer, leftOut };
  });
}

/** The error with which a command ends that has left clusters out; undefined where none is. */
export function leftOutError(leftOut: readonly LeftOut[], asked: number): OutriggerError | undefined {
  const [first] = leftOut;
  if (first === undefined) return undefined;
  const names = leftOut.map(({ cluster }) => cluster).join(", ");
  const unopened = leftOut.filter(({ pods }) => pods === undefined);
  return new OutriggerError(
    first.code,
    `${leftOut.length} of ${asked + unopened.length} clusters could not be asked: ${names}`,
  );
}

/** A line for each cluster that is left out; empty for none. */
export function leftOutText(leftOut: readonly LeftOut[]): string {
  return leftOut
    .map(({ cluster, pods, message }) => {
      const what = pods === undefined ? "is left out" : `is left out after ${pods} pods`;
      return `${cluster} ${what}: ${message}\n`;
    })
    .join("");
}

/** One after the other: each may ask for a code of its own. */
async function openNamed(options: FleetOptions, io: Io): Promise<readonly RunningCluster[]> {
  const clusters: RunningCluster[] = [];
  for (const one of eachCluster(options)) clusters.push(await openRunning(one, io));
  return clusters;
}

async function openSelected({ cluster: _, context: __, ...options }: AskedOptions, io: Io) {
  const { maxConcurrency = CLUSTERS_AT_ONCE } = options;
  const { clusters: selected, deployment } = await openFleet({ ...options, maxConcurrency }, io);
  const serving = servingOf(deployment, io);
  const open = async ({ name, place, unreadable }: SelectedCluster): Promise<RunningCluster | LeftOut> => {
    try {
      if (unreadable !== undefined) throw unreadable;
      return await openRunning({ ...options, ...place }, io, serving);
    } catch (error) {
      const { code, message } = ownError(error);
      return { cluster: name, code, message };
    }
  };
  const opened = (await atMost(maxConcurrency, selected, open)).flatMap((each) => each ?? []);
  const leftOut = opened.flatMap((each) => ("kube" in each ? [] : [each]));
  const clusters = opened.flatMap((each) => {
    if (!("kube" in each)) return [];
    const failed = ({ code, message }: OutriggerError, pods: number) =>
      leftOut.push({ cluster: each.name, pods, code, message });
    return { ...each, failed };
  });
  const [first] = leftOut;
  if (clusters.length === 0 && first !== undefined) throw new OutriggerError(first.code, first.message);
  return { clusters, leftOut };
}
