// The running pods of a registered cluster by release, as `outrigger pods` counts them, in what the page shows of them.

import type { RunningState } from "@outrigger/studio";
import type { openRunning } from "../rollouts/running-cluster.ts";
import type { Io } from "../terminal/io.ts";

/** Workloads that are named: the others are counted. */
const MOST_NAMED = 200;

/** Reads every pod of the cluster: for a page that asks for it now and then. */
export async function runningPods(options: Parameters<typeof openRunning>[0], io: Io): Promise<RunningState> {
  const [{ openRunning }, { isOutdated, readRunning }] = await Promise.all([
    import("../rollouts/running-cluster.ts"),
    import("@outrigger/rollouts"),
  ]);
  const { name: cluster, kube, ...ports } = await openRunning(options, io);
  const { pods, states, workloads } = await readRunning(kube, ports);
  const releases: Record<string, number> = {};
  for (const workload of workloads) {
    for (const [release, count] of Object.entries(workload.releases)) {
      releases[release] = (releases[release] ?? 0) + count;
    }
  }
  const outdated = workloads
    .filter(isOutdated)
    .slice(0, MOST_NAMED)
    .map(({ namespace, kind, name, pods: count, example }) => {
      const verdict = example?.verdict;
      const changes = verdict !== undefined && "changes" in verdict ? verdict.changes : [];
      return {
        namespace,
        name: `${kind} ${name}`,
        pods: count,
        state: verdict?.state ?? "",
        fields: changes.map(({ field }) => field),
      };
    });
  return { cluster, at: new Date().toISOString(), pods, releases, states, outdated };
}
