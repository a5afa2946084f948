// The running pods of a registered cluster by release, as `outrigger pods` counts them, in what the page shows of them. Loaded only when it is asked.

import { isOutdated, type RunningReport, readRunning } from "@outrigger/rollouts";
import { openRunning } from "../rollouts/running-cluster.ts";
import type { Io } from "../terminal/io.ts";
import type { Counted } from "./releases-state.ts";

/** Reads every pod of the cluster: for a page that asks for it now and then. */
export async function runningPods(options: Parameters<typeof openRunning>[0], io: Io): Promise<Counted> {
  const { name, kube, ...ports } = await openRunning(options, io);
  return runningState(name, await readRunning(kube, ports), new Date());
}

/** Workloads that are named: the others are only counted. */
const MOST_NAMED = 200;

export function runningState(cluster: string, { pods, states, workloads }: RunningReport, now: Date): Counted {
  const releases: Record<string, number> = {};
  for (const workload of workloads) {
    for (const [release, count] of Object.entries(workload.releases)) {
      releases[release] = (releases[release] ?? 0) + count;
    }
  }
  const outdated = workloads.filter(isOutdated);
  return {
    cluster,
    at: now.toISOString(),
    pods,
    releases,
    states,
    outdatedWorkloads: outdated.length,
    outdated: outdated.slice(0, MOST_NAMED).map(({ namespace, kind, name, pods: count, example }) => {
      const verdict = example?.verdict;
      const changes = verdict !== undefined && "changes" in verdict ? verdict.changes : [];
      return {
        namespace,
        name: `${kind} ${name}`,
        pods: count,
        state: verdict?.state ?? "",
        fields: changes.map(({ field }) => field),
      };
    }),
  };
}
