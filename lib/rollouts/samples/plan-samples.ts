// Which samples a source tree needs for the pods of clusters, and which of those that were made for it are needed no longer. Pure.
import { compareTexts } from "@outrigger/base";
import { type BranchesTaken, type InjectRequest, type SourceTree, samplePods } from "@outrigger/injector";
import { authoredForm, type Pod, validatePod } from "@outrigger/pod";
import { formatYaml } from "@outrigger/yaml";
import { type BranchGroup, compareBranches, sampleRequest } from "./fleet-branches.ts";
import { leastCover } from "./least-cover.ts";
import { neutralPod } from "./neutral-pod.ts";
import { shortenedPod } from "./shortened-pod.ts";

/** A sample that is to be written. */
export interface PlannedSample {
  /** `samples/shop-cart` */
  readonly path: string;
  readonly text: string;
  /** `shop/Deployment/cart`, whose pod it was made of, and the cluster that it is in. */
  readonly workload: string;
  readonly cluster: string;
  /** The pods, and the workloads, that take just these branches. */
  readonly pods: number;
  readonly workloads: number;
  /** The branches that no sample took before. */
  readonly branches: readonly string[];
  /** Fields with the values of the owner's pod, because a condition of a template needs them. */
  readonly kept: readonly string[];
}

/** What a tree is to be made into. */
export interface SamplesPlan {
  /** How many branches the pods take, and how many of them a sample takes, with those that are written. */
  readonly branches: { readonly taken: number; readonly sampled: number };
  readonly written: readonly PlannedSample[];
  readonly removed: readonly { readonly path: string; readonly why: string }[];
  /** Samples that were made before and that no pod of these clusters needs now. They are left. */
  readonly unused: readonly string[];
  /** Branches that no sample of these pods can take, and why. */
  readonly left: readonly { readonly branch: string; readonly why: string }[];
}

export interface SamplesQuestion {
  readonly groups: readonly Readonly<BranchGroup>[];
  /** The tree that is shipped, and the one that samples are written to. */
  readonly shipped: SourceTree;
  readonly tree: SourceTree;
  readonly read: (request: InjectRequest) => BranchesTaken;
  /** Whether the tree itself has a word. */
  readonly isTrees: (text: string) => boolean;
  /** Whether a text fits where the tree is stored. */
  readonly fits: (text: string) => boolean;
  /** Removes samples that no pod needs now, though they take branches that no other sample takes. */
  readonly isPruned: boolean;
}

/** Samples that the command wrote begin so, and no others are ever removed. */
const MADE = "# Made by outrigger samples from a pod of ";

/**
 * Plans as few samples as take, with those that are there, every branch that the pods take. A sample that is there stays as it is. One that
 * was made before is removed where the others take its branches too.
 */
export function planSamples(question: SamplesQuestion): SamplesPlan {
  const { groups, shipped, tree, read, isPruned } = question;
  const there = samplePods([shipped, tree]).map(({ name, request }) => ({
    path: name,
    branches: read(request).branches,
  }));
  const sets = branchSets();
  const takenBefore = sets.of(there.flatMap(({ branches }) => [...branches]));
  const fit = groups.filter(({ error }) => error === undefined);
  const needed = sets.of(fit.flatMap(({ branches }) => [...branches])) & ~takenBefore;
  const chosen = chooseSamples(fit, needed, sets, question);
  const taken = there.map(({ path, branches }) => ({ path, set: sets.of(branches) }));
  const written = nameSamples(chosen, Object.keys({ ...shipped, ...tree })).map((sample) => {
    const branches = sets.names(sample.set & needed & ~union(taken.map(({ set }) => set)));
    taken.push({ path: sample.path, set: sample.set });
    const { set: _, ...planned } = sample;
    return { ...planned, branches };
  });
  const made = there.filter(({ path }) => tree[path]?.startsWith(MADE)).map(({ path }) => path);
  const asked = sets.of(groups.flatMap(({ branches }) => [...branches]));
  const { removed, unused } = removeSamples(taken, made, asked, isPruned);
  const sampled = union(taken.map(({ set }) => set));
  return {
    branches: { taken: sets.names(asked).length, sampled: sets.names(asked & sampled).length },
    written,
    removed,
    unused,
    left: sets.names(asked & ~sampled).map((branch) => ({ branch, why: whyLeft(branch, fit, groups) })),
  };
}

function whyLeft(
  branch: string,
  fit: readonly Readonly<BranchGroup>[],
  groups: readonly Readonly<BranchGroup>[],
): string {
  if (fit.some(({ branches }) => branches.has(branch)))
    return "it depends on a value that no sample has, such as a variable's or an address: write that sample yourself";
  const failing = groups.find(({ branches, error }) => error !== undefined && branches.has(branch));
  return `the pods that take it would not be made: ${failing?.error?.message ?? ""}`;
}

interface ChosenSample extends Omit<PlannedSample, "path" | "branches"> {
  readonly set: bigint;
  /** `shop-cart` */
  readonly name: string;
}

/**
 * Chooses pods and makes samples of them. A sample may take fewer branches than its pod, where a value decides that no sample has: then
 * others are chosen for the rest.
 */
function chooseSamples(
  groups: readonly Readonly<BranchGroup>[],
  needed: bigint,
  sets: BranchSets,
  question: SamplesQuestion,
): readonly ChosenSample[] {
  const made = new Map<number, ChosenSample>();
  for (;;) {
    const known = groups.map(({ branches }, index) => made.get(index)?.set ?? sets.of(branches));
    const cover = leastCover(known, needed);
    const missing = cover.filter((index) => !made.has(index));
    if (missing.length === 0) return cover.flatMap((index) => made.get(index) ?? []);
    for (const index of missing) made.set(index, makeSample(groups[index] as BranchGroup, sets, question));
  }
}

function makeSample(
  group: Readonly<BranchGroup>,
  sets: BranchSets,
  { read, isTrees, fits }: SamplesQuestion,
): ChosenSample {
  const { workload, cluster, text } = group.example;
  const own = authoredForm(JSON.parse(text) as Pod);
  const faults = validatePod(own, { isTemplate: true }).length;
  const branchesOf = (pod: Pod) => {
    const { branches, error } = read(sampleRequest(pod));
    return error === undefined && validatePod(pod, { isTemplate: true }).length <= faults ? sets.of(branches) : 0n;
  };
  const { pod, kept, branches } = neutralPod(own, { branchesOf, isTrees });
  const { namespace, kind, name } = workload;
  const origin = `${cluster}, ${namespace}/${kind}/${name}`;
  const short = shortenedPod(
    pod,
    (other) => fits(sampleText(other, origin, kept, true)),
    (other) => branchesOf(other) === branches,
  );
  return {
    text: sampleText(short, origin, kept, short !== pod),
    name: `${namespace}-${name}`,
    workload: `${namespace}/${kind}/${name}`,
    cluster,
    pods: group.pods,
    workloads: group.workloads.size,
    kept,
    set: branches,
  };
}

function sampleText(pod: Pod, origin: string, kept: readonly string[], isShort: boolean): string {
  const lines = [
    `${MADE}${oneLine(origin)}, whose values are left out. Without this line, it is never removed.`,
    ...(kept.length === 0
      ? []
      : [`# Values of the pod, which conditions of templates need: ${oneLine(kept.join(", "))}`]),
    ...(isShort ? ["# Parts of the pod that no condition needs are left out, so that it fits into a parameter."] : []),
  ];
  return `${lines.join("\n")}\n${formatYaml({ apiVersion: "v1", kind: "Pod", ...pod } as never)}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ");
}

/** Gives each sample a name that no other one has, after its workload. */
function nameSamples(chosen: readonly ChosenSample[], paths: readonly string[]) {
  const known = new Set(paths);
  return chosen
    .toSorted((a, b) => compareTexts(a.name, b.name))
    .map(({ name, ...sample }) => {
      const base = `samples/${name
        .replaceAll(/[^A-Za-z0-9._-]/g, "-")
        .replace(/^[^A-Za-z0-9]+/, "")
        .slice(0, LONGEST)}`;
      let path = base;
      for (let number = 2; known.has(path); number++) path = `${base}-${number}`;
      known.add(path);
      return { path, ...sample };
    });
}

/** With a number behind it, the name is one that a source tree takes. */
const LONGEST = 120;

interface TakingSample {
  readonly path: string;
  readonly set: bigint;
}

function removeSamples(taking: readonly TakingSample[], made: readonly string[], wanted: bigint, isPruned: boolean) {
  let rest = taking;
  const removed: { readonly path: string; readonly why: string }[] = [];
  const unused: string[] = [];
  // Of two that take the same, the first stays.
  for (const path of made.toReversed()) {
    const own = taking.find((each) => each.path === path)?.set ?? 0n;
    const others = rest.filter((each) => each.path !== path);
    const alone = own & ~union(others.map(({ set }) => set));
    if (alone !== 0n && (alone & wanted) === 0n && !isPruned) unused.unshift(path);
    if ((isPruned ? alone & wanted : alone) !== 0n) continue;
    rest = others;
    removed.unshift({ path, why: alone === 0n ? "other samples take its branches" : "no pod takes its branches now" });
  }
  return { removed, unused };
}

function union(sets: readonly bigint[]): bigint {
  return sets.reduce((all, set) => all | set, 0n);
}

type BranchSets = ReturnType<typeof branchSets>;

/** Sets of branches as numbers, whose bits are numbered as branches are met. */
function branchSets() {
  const bits = new Map<string, bigint>();
  const bitOf = (branch: string) => {
    const bit = bits.get(branch) ?? 1n << BigInt(bits.size);
    bits.set(branch, bit);
    return bit;
  };
  return {
    of: (branches: Iterable<string>) => [...branches].reduce((set, branch) => set | bitOf(branch), 0n),
    /** The branches of a set, in the order of files and lines. */
    names: (set: bigint): readonly string[] =>
      [...bits].flatMap(([branch, bit]) => ((set & bit) === 0n ? [] : [branch])).sort(compareBranches),
  };
}
