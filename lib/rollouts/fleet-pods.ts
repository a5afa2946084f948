// The pods of a cluster of a fleet, counted while they are read.
import { type OutriggerError, ownError } from "@outrigger/base";
import { type KubeClient, type listed, type RunningQuestion, runningPods } from "@outrigger/cluster";
import type { JudgePorts } from "./compare/judge-pod.ts";

/** A cluster whose pods are asked about. */
export interface AskedCluster extends Pick<JudgePorts, "servedFor" | "releaseOf"> {
  /** The cluster's registered name. */
  readonly name: string;
  readonly kube: Pick<KubeClient, "pods">;
  /** Is told why its pods cannot be read, or no more of them; left out, this ends the question to all clusters. */
  readonly failed?: (error: OutriggerError, pods: number) => void;
}

/** Is told how many pods of a cluster have been read, once a page. */
export type FleetReport = (cluster: string, pods: number) => void;

const PAGE = 500;

/**
 * Reads the pods of a cluster, one after the other.
 *
 * @param count gets the number of pods that have been read
 */
export async function* fleetPods(
  { name, kube, failed }: Pick<AskedCluster, "name" | "kube" | "failed">,
  question: RunningQuestion,
  count: { pods: number },
  report: FleetReport,
): AsyncGenerator<ReturnType<typeof listed>> {
  try {
    for await (const pod of runningPods(kube, question)) {
      yield pod;
      count.pods += 1;
      if (count.pods % PAGE === 0) report(name, count.pods);
    }
  } catch (error) {
    if (failed === undefined) throw error;
    failed(ownError(error), count.pods);
  }
  report(name, count.pods);
}

/** A workload of a cluster as one text: no part of a name has a space. */
export function workloadKey(
  cluster: string,
  { namespace, kind, name }: { readonly namespace: string; readonly kind: string; readonly name: string },
): string {
  return `${cluster} ${namespace} ${kind} ${name}`;
}
