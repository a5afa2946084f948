// What is different between two releases in the branches of their templates, whether a sample takes them or not. Pure.
import { type JsonObject, objectOf, objectsOf, once } from "@outrigger/base";
import { type Branches, branchesIn, effectOf, isCni, otherBranches, type Power, powersOf } from "@outrigger/guardrails";
import type { Release, SourceTree } from "@outrigger/injector";
import { containersOf } from "@outrigger/pod";
import { PROXY_CONTAINERS, powerEffects, READINGS, readingsOf, sayChange, trustMounts } from "./compare-pods.ts";
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
  return [...morePowers(was, others, isCni(before)), ...otherReadings(was, others)];
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

/** Of containers that an earlier branch has, or Istio: what a new one may do is no change of what is there. */
function otherReadings(was: Branches, others: Branches): readonly BranchEffect[] {
  const names = new Set(was.branches.flatMap(({ overlay }) => containersOf(overlay["spec"]).map(({ name }) => name)));
  const isKept = ({ name }: JsonObject) => names.has(name) || PROXY_CONTAINERS.includes(String(name));
  const found = readingsIn(others, isKept);
  if (found.length === 0) return [];
  const known = new Set(readingsIn(was, isKept).map(({ said }) => said));
  return found.flatMap(({ said, place, effect }) => (known.has(said) ? [] : [{ place, effect }]));
}

/** What the branches of a tree say of themselves and their containers, each with its line. */
function readingsIn({ branches, all, tree }: Branches, isKept: (container: JsonObject) => boolean) {
  // Of all templates: only where the tree writes volumes.
  const holders = once(() => trusting(all()));
  return branches.flatMap(({ overlay, locate }) => {
    const metadata = objectOf(overlay["metadata"]);
    const spec = objectOf(overlay["spec"]);
    const stepsOf = (key: string) => [
      "metadata",
      Object.hasOwn(objectOf(metadata["labels"]), key) ? "labels" : "annotations",
      key,
    ];
    const said = [
      [readingsOf({ metadata }, []), stepsOf] as const,
      ...["initContainers", "containers"].flatMap((list) =>
        objectsOf(spec[list]).map((container, at) => {
          const steps = ["spec", list, at];
          return [readingsOf({ spec }, [container], isKept), () => steps] as const;
        }),
      ),
      ...objectsOf(spec["volumes"]).map((volume, at) => {
        const steps = ["spec", "volumes", at];
        const readers = holders().filter((each) => trustMounts(each).some(({ name }) => name === volume["name"]));
        return [readingsOf({ spec: { volumes: [volume] } }, readers, isKept), () => steps] as const;
      }),
    ];
    return said.flatMap(([readings, placeOf]) =>
      READINGS.flatMap((name) =>
        Object.entries(readings[name]).flatMap((entry) => {
          const [key, value] = entry;
          if (value === undefined) return [];
          const { path, line } = locate(placeOf(key));
          if (tree[path] === undefined) return [];
          const effect: Effect = { name, example: sayChange(name, entry) };
          return [{ said: `${name} ${key} ${JSON.stringify(value)}`, effect, place: `${path}:${line}` }];
        }),
      ),
    );
  });
}

/** The containers that take whom they trust from volumes, whichever template writes those, with nothing but their mounts of them. */
function trusting(branches: Branches["branches"]): readonly JsonObject[] {
  const found = branches.flatMap(({ overlay }) =>
    containersOf(overlay["spec"]).map((container) => ({
      name: container["name"] ?? "",
      volumeMounts: trustMounts(container),
    })),
  );
  const mounting = found.filter(({ volumeMounts }) => volumeMounts.length > 0);
  return [...new Map(mounting.map((container) => [JSON.stringify(container), container])).values()];
}
