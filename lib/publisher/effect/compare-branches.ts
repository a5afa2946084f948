// What is different between two releases in the branches of their templates, whether a sample takes them or not. Pure.
import { objectOf, objectsOf } from "@outrigger/base";
import { type Branches, branchesIn, effectOf, isCni, otherBranches, type Power, powersOf } from "@outrigger/guardrails";
import type { Release, SourceTree } from "@outrigger/injector";
import { captureOf, powerEffects } from "./compare-pods.ts";
import type { Effect } from "./effects.ts";

/** An effect of a branch, and where it is written: `templates/agent:3`. */
interface BranchEffect {
  readonly place: string;
  readonly effect: Effect;
}

/** What branches of the later release would do that no branch of the earlier one does: that is asked only where there is something. */
export function compareBranches(before: Release, after: Release, tree: SourceTree): readonly BranchEffect[] {
  const [was, is] = [branchesIn(before, tree), branchesIn(after, tree)];
  const others = otherBranches(was, is);
  return [...morePowers(was, others, isCni(before)), ...otherCapture(was, others)];
}

/** @param isNeeded of the earlier release: an edit does not choose whether its pods need to capture their traffic themselves */
function morePowers(was: Branches, others: Branches, isNeeded: boolean): readonly BranchEffect[] {
  const isAdmitted = (power: Power) => effectOf(power) === undefined;
  const options = { isAdmitted, isCni: isNeeded };
  const found = powersOf(others, options);
  if (found.length === 0) return [];
  const known = powersOf(was, options);
  return found.flatMap((power) =>
    powerEffects(known, [power]).map((effect) => ({ place: `${power.path}:${power.line}`, effect })),
  );
}

function otherCapture(was: Branches, others: Branches): readonly BranchEffect[] {
  const found = captures(others);
  if (found.length === 0) return [];
  const known = new Set(captures(was).map(({ said }) => said));
  return found.flatMap(({ said, example, place }) =>
    known.has(said) ? [] : [{ place, effect: { name: "capture-changed", example } as const }],
  );
}

/** What the branches of a tree say of capture, each with its line. */
function captures({ branches, tree }: Branches) {
  return branches.flatMap(({ overlay, locate }) => {
    const containers = ["initContainers", "containers"].flatMap((list) =>
      objectsOf(objectOf(overlay["spec"])[list]).map((container, at) => [container, ["spec", list, at]] as const),
    );
    const said = [
      ...Object.entries(captureOf(overlay, [])).map((entry) => [entry, ["metadata", "annotations", entry[0]]] as const),
      ...containers.flatMap(([container, steps]) =>
        Object.entries(captureOf({}, [container])).map((entry) => [entry, steps] as const),
      ),
    ];
    return said.flatMap(([[example, value], steps]) => {
      const { path, line } = locate(steps);
      if (value === undefined || tree[path] === undefined) return [];
      return [{ said: `${example} ${JSON.stringify(value)}`, example, place: `${path}:${line}` }];
    });
  });
}
