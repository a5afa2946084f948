// What the workloads of a cluster make of an edit: which of them it changes, and which branches of the templates they take.

import { branchReader, samplePods, writtenBranches } from "@outrigger/injector";
import { type CountedPod, measureImpact, runningPods } from "./measure-impact.ts";
import { measureReach } from "./measure-reach.ts";
import { type createCompiler, isSameTree } from "./preview.ts";
import type { BranchCount, FleetAnswer, FleetQuestion } from "./question.ts";

type Compiler = ReturnType<typeof createCompiler>;

/**
 * @param compile as createCompiler makes it, for the edited tree
 * @param compileSaved the same, for the tree as it is saved
 */
export function askFleet(question: FleetQuestion, compile: Compiler, compileSaved: Compiler): FleetAnswer {
  const { shipped, own, saved, workloads } = question;
  const after = compile({ shipped, own }).traced;
  if (after === undefined) return { impact: undefined, branches: undefined, reach: undefined };
  // A page opens without edits, and there may be thousands of pods.
  const before = isSameTree(own, saved) ? after : compileSaved({ shipped, own: saved }).traced;
  const pods = runningPods(workloads);
  return {
    impact: before && measureImpact(pods, before.injector, after.injector),
    branches: countBranches(after, samplePods([shipped, own]), pods),
    reach: measureReach(pods, after.injector),
  };
}

/** Counts what takes each branch. A pod that would not be made takes none. */
function countBranches(
  { injector, compiled }: NonNullable<ReturnType<Compiler>["traced"]>,
  samples: readonly Omit<CountedPod, "pods">[],
  running: readonly CountedPod[],
): readonly BranchCount[] {
  const read = branchReader({ templates: compiled }, injector);
  const counts = new Map<string, Mutable<BranchCount>>(
    writtenBranches({ templates: compiled }).map(({ key, path, line, column, name, taken }) => [
      key,
      // The condition of {{#unless}} is that of what it passes over.
      { path, line, column, isWritten: taken !== (name === "unless"), samples: 0, workloads: 0, pods: 0 },
    ]),
  );
  const countsOf = ({ request }: Omit<CountedPod, "pods">) => {
    const { branches, error } = read(request);
    return error === undefined ? [...branches].flatMap((branch) => counts.get(branch) ?? []) : [];
  };
  for (const sample of samples) for (const count of countsOf(sample)) count.samples += 1;
  for (const pod of running) {
    for (const count of countsOf(pod)) {
      count.workloads += 1;
      count.pods += pod.pods;
      count.example ??= pod.name;
    }
  }
  return [...counts.values()];
}

type Mutable<Value> = { -readonly [Field in keyof Value]: Value[Field] };
