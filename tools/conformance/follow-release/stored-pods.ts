// What two trees make of the pods that are kept in the project, pod by pod.
import { isObject } from "@outrigger/base";
import { loadRelease, type SourceTree } from "@outrigger/injector";
import { vendoredSets } from "../case-sets.ts";
import { compareObjects } from "../compare-objects.ts";
import { type CaseInput, type CaseOutcome, outcomeOfError, releaseOfCase, throughInjector } from "../entry-points.ts";

/** The stored pods with their settings, without what is expected of them. */
export const storedPods: readonly CaseInput[] = vendoredSets()
  .flatMap((set) => set.cases)
  .map(({ expect: _, ...input }) => input);

/** A pod of which the trees make different things: the fields, as `spec.containers[].image`. */
export interface DifferingPod {
  readonly input: CaseInput;
  readonly fields: readonly string[];
}

/** The pods of which the two trees make different things. */
export async function differingPods(
  before: SourceTree,
  after: SourceTree,
  pods: readonly CaseInput[] = storedPods,
): Promise<readonly DifferingPod[]> {
  const differing: DifferingPod[] = [];
  for (const input of pods) {
    const fields = differences(await outcomeWith(before, input), await outcomeWith(after, input));
    if (fields.length > 0) differing.push({ input, fields });
  }
  return differing;
}

/** The distance that a pod counts as if no tree injects it, or only one. */
const FAILED = 1000;

/** The number of fields in which the pods differ; a failure weighs more than any field. */
export function distance(pods: readonly DifferingPod[]): number {
  return pods.reduce(
    (sum, { fields }) => sum + (fields.some((field) => field.includes("→")) ? FAILED : fields.length),
    0,
  );
}

/** Returns the number of pods that differ in each field, the most frequent first. */
export function countFields(pods: readonly DifferingPod[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const { fields } of pods) for (const field of new Set(fields)) counts.set(field, (counts.get(field) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}

async function outcomeWith(tree: SourceTree, input: CaseInput): Promise<CaseOutcome> {
  try {
    return await throughInjector(input, loadRelease(releaseOfCase(tree, input)));
  } catch (error) {
    return outcomeOfError(error);
  }
}

function differences(before: CaseOutcome, after: CaseOutcome): readonly string[] {
  const [a, b] = [before, after].map((outcome) => (outcome.kind === "pod" ? outcome.pod : outcome.kind));
  if (isObject(a) && isObject(b))
    return compareObjects(a, b).map((line) => line.replace(/\[[^\]]*\]/g, "[]").replace(/: .*/, ""));
  return a === b ? [] : [`${before.kind} → ${after.kind}`];
}
