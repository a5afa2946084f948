// The clusters that a command's options name, opened and asked while people see how far it is. Loaded only when a command runs.
import { defined } from "@outrigger/base";
import type { RunningQuestion } from "@outrigger/cluster";
import { eachCluster, type FleetOptions } from "../options/cluster-options.ts";
import type { Io } from "../terminal/io.ts";
import { withProgress } from "../terminal/print.ts";
import { openRunning, type RunningCluster } from "./running-cluster.ts";

type Ask<Answer> = (
  clusters: readonly RunningCluster[],
  question: RunningQuestion,
  report: (cluster: string, pods: number) => void,
) => Promise<Answer>;

/** Opens the clusters one after the other, and asks about those of their pods that the options select. */
export async function askFleet<Answer>(options: FleetOptions, io: Io, ask: Ask<Answer>): Promise<Answer> {
  const { namespace, selector } = options;
  const named = eachCluster(options);
  return withProgress(io, async (report) => {
    const clusters: RunningCluster[] = [];
    for (const one of named) {
      report("Connecting");
      clusters.push(await openRunning(one, io));
    }
    return ask(clusters, defined({ namespace, selector }), (cluster, pods) => report(`${pods} pods of ${cluster}`));
  });
}
