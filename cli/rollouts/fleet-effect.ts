// What a tree in place of another does to the workloads of clusters: opens the clusters, asks, and prints the answer. Loaded only when a
// command runs.
import { defined, OutriggerError } from "@outrigger/base";
import { loadRelease, type Release } from "@outrigger/injector";
import { fleetEffect } from "@outrigger/rollouts";
import { eachCluster, type FleetOptions } from "../options/cluster-options.ts";
import type { Io } from "../terminal/io.ts";
import { printResult, withProgress } from "../terminal/print.ts";
import { fleetMarkdown, fleetText } from "./fleet-text.ts";
import { openRunning } from "./running-cluster.ts";

/** A tree that is compared, by the name that the reader knows. */
interface ComparedTree {
  readonly name: string;
  readonly digest: string;
  readonly release: Release;
  readonly channel?: string;
}

interface Compared {
  readonly before: ComparedTree;
  readonly after: ComparedTree;
}

interface PrintOptions extends FleetOptions {
  readonly json?: true;
  readonly output?: string;
}

/** @throws OutriggerError `findings` where the next pod of any workload differs */
export async function printFleetEffect(trees: Compared, options: PrintOptions, io: Io): Promise<void> {
  const { value, effect } = await readFleetEffect(trees, options, io);
  const text = options.output === "markdown" ? fleetMarkdown(value) : fleetText(value, options.output === "wide");
  printResult(io, options.json, value, text);
  if (effect.groups.length === 0) return;
  const { length } = effect.clusters;
  const where = length === 1 ? effect.clusters[0]?.cluster : `${length} clusters`;
  const what = effect.workloads === 1 ? "One workload" : `${effect.workloads} workloads`;
  throw new OutriggerError("findings", `${what} of ${where} would come out differently`);
}

/** Asks the clusters that the options name, one after the other. */
async function readFleetEffect({ before, after }: Compared, options: PrintOptions, io: Io) {
  const { namespace, selector } = options;
  const asked = eachCluster(options);
  const effect = await withProgress(io, async (report) => {
    const clusters = [];
    for (const one of asked) {
      report("Connecting");
      clusters.push(await openRunning(one, io));
    }
    return fleetEffect(
      clusters,
      {
        before: loadRelease(before.release),
        after: loadRelease(after.release),
        ...defined({ channel: before.channel }),
      },
      defined({ namespace, selector }),
      (cluster, pods) => report(`${pods} pods of ${cluster}`),
    );
  });
  const about = ({ name, digest }: ComparedTree) => ({ name, release: digest });
  return { effect, value: { before: about(before), after: about(after), ...effect } };
}
