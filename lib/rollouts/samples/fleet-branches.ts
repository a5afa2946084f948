// Which branches of templates the pods of clusters take. Pods are read once; what is kept is one pod for each set of branches, so it does
// not grow with the number of pods.
import { compareTexts } from "@outrigger/base";
import type { listed, RunningQuestion } from "@outrigger/cluster";
import { admittedRequest, type BranchesTaken, type InjectRequest, workloadOf } from "@outrigger/injector";
import { oncePerReplicas, type Pod } from "@outrigger/pod";
import { authorOf, requestFor } from "../compare/sent-pod.ts";
import type { ServedRelease } from "../compare/served-now.ts";
import { type AskedCluster, type FleetReport, fleetPods, workloadKey } from "../fleet-pods.ts";

/** The pods that take the same branches. */
export interface BranchGroup extends BranchesTaken {
  pods: number;
  /** Each as `workloadKey()` writes it. */
  readonly workloads: Set<string>;
  /** One of the pods, as its author wrote it, and where it is. */
  readonly example: {
    readonly cluster: string;
    readonly workload: ReturnType<typeof workloadOf>;
    readonly text: string;
  };
}

export type BranchReader = (request: InjectRequest) => BranchesTaken;

/**
 * Counts the pods of clusters by the branches that they take. A pod is asked about in the form in which a sample of it is tried: with no
 * settings of its cluster, which a sample cannot have.
 *
 * @param readerFor which templates are asked; undefined for a pod that is not asked about
 */
export function branchCounter(readerFor: (served: ServedRelease) => BranchReader | undefined) {
  const groups = new Map<string, BranchGroup>();
  /** @returns the function to give each pod of a cluster to, which returns whether the pod is asked about */
  const ofCluster = ({ name, servedFor, releaseOf }: Omit<AskedCluster, "kube">) => {
    const look = oncePerReplicas(async (object) => {
      const [served] = servedFor(object as Pod);
      if (served === undefined) return undefined;
      const read = readerFor(served);
      if (read === undefined) return undefined;
      const pod = await authorOf(object, served.injector, releaseOf);
      const { branches, error } = read(sampleRequest(pod));
      const key = `${error === undefined} ${[...branches].sort(compareTexts).join(" ")}`;
      const known = groups.get(key);
      if (known !== undefined) return known;
      const example = { cluster: name, workload: workloadOf(object as Pod), text: JSON.stringify(pod) };
      const made: BranchGroup = { branches, ...(error && { error }), pods: 0, workloads: new Set(), example };
      groups.set(key, made);
      return made;
    });
    return async (pod: ReturnType<typeof listed>): Promise<boolean> => {
      const group = await look(pod);
      if (group === undefined) return false;
      group.pods += 1;
      group.workloads.add(workloadKey(name, workloadOf(pod as unknown as Pod)));
      return true;
    };
  };
  return { ofCluster, groups: (): readonly Readonly<BranchGroup>[] => [...groups.values()] };
}

/** Reads the pods of clusters, one cluster after the other, and counts them by the branches of one release's templates that they take. */
export async function fleetBranches(
  clusters: readonly AskedCluster[],
  read: BranchReader,
  question: RunningQuestion = {},
  report: FleetReport = () => {},
) {
  const counter = branchCounter(() => read);
  const counts: { readonly cluster: string; pods: number; served: number }[] = [];
  for (const cluster of clusters) {
    const count = { cluster: cluster.name, pods: 0, served: 0 };
    counts.push(count);
    const note = counter.ofCluster(cluster);
    for await (const pod of fleetPods(cluster, question, count, report)) if (await note(pod)) count.served += 1;
  }
  return { clusters: counts as readonly Readonly<(typeof counts)[number]>[], groups: counter.groups() };
}

/** The request by which a pod is tried as a sample. */
export function sampleRequest(pod: Pod): InjectRequest {
  const { pod: plain, namespace } = requestFor(pod, { release: "", cluster: {}, parameters: {} });
  return admittedRequest({ pod: plain, namespace, parameters: {} });
}

/** `templates/agent:12:3 true` after `templates/agent:4:1 true`. */
export function compareBranches(a: string, b: string): number {
  const [path = "", line = "0"] = a.split(":");
  const [other = "", otherLine = "0"] = b.split(":");
  return compareTexts(path, other) || Number(line) - Number(otherLine) || compareTexts(a, b);
}
