// The pods of a cluster that take branches of templates which no sample takes: what an edit of them does to these pods shows nowhere before it
// is served.
import { branchReader, type NamedPod, type Release } from "@outrigger/injector";
import { type BranchReader, branchCounter, compareBranches } from "./fleet-branches.ts";

/**
 * Counts pods by the branches that they take of the templates which are served for them, and that the samples do not take. Pods that would
 * not be made are not counted.
 *
 * @param releaseOf gets a release that is served, by its name
 */
export function unsampledBranches(
  cluster: Parameters<ReturnType<typeof branchCounter>["ofCluster"]>[0],
  samples: readonly NamedPod[],
  releaseOf: (name: string) => Release | undefined,
) {
  const readers = new Map<string, BranchReader | undefined>();
  const { ofCluster, groups } = branchCounter(({ release: name, injector }) => {
    if (readers.has(name)) return readers.get(name);
    const release = releaseOf(name);
    const made = release && withoutTaken(branchReader(release, injector), samples);
    readers.set(name, made);
    return made;
  });
  return {
    /** Is given each pod. */
    note: ofCluster(cluster),
    counted() {
      const found = groups().filter(({ branches, error }) => error === undefined && branches.size > 0);
      return {
        pods: found.reduce((sum, { pods }) => sum + pods, 0),
        workloads: new Set(found.flatMap(({ workloads }) => [...workloads])).size,
        /** In the order of files and lines. */
        branches: [...new Set(found.flatMap(({ branches }) => [...branches]))].sort(compareBranches),
      };
    },
  };
}

/** Reads the branches of a pod without those that samples take. */
function withoutTaken(read: BranchReader, samples: readonly NamedPod[]): BranchReader {
  const taken = new Set(samples.flatMap(({ request }) => [...read(request).branches]));
  return (request) => {
    const { branches, ...others } = read(request);
    return { ...others, branches: new Set([...branches].filter((branch) => !taken.has(branch))) };
  };
}
