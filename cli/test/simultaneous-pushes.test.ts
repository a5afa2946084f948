// Two users push at the same time, their calls in any order: never do both fail, and what one of them wrote is whole.

import { layoutOf } from "@outrigger/aws";
import { OutriggerError } from "@outrigger/base";
import { fakeParameterStore, seededRandom } from "@outrigger/fake-aws";
import { readSourceParameters, treeDigest } from "@outrigger/publisher";
import { describe, expect, it } from "vitest";
import { type Process, type Shelf, startProcess } from "../../test/support/stepped-store.ts";
import { pushTree } from "../tree/push-tree.ts";

const target = { stage: "dev", layout: layoutOf("/outrigger/dev"), publisher: "" };
const INTERLEAVINGS = Number(process.env["OUTRIGGER_PROPERTY_RUNS"] ?? 400);
const BASE = { mesh: "a: 1\n" };
const OURS = { ...BASE, "values/10": "b: 1\n", "values/11": "b: 2\n" };
const THEIRS = { mesh: "a: 2\n", "values/20": "c: 1\n" };

interface Pusher {
  readonly process: Process;
  outcome: "made" | "refused" | undefined;
}

/** Plans on what is there, then pushes: what `outrigger push` does, without a directory. */
function start(shelf: Shelf, by: string, tree: Readonly<Record<string, string>>): Pusher {
  const process = startProcess(shelf);
  const pusher: Pusher = { process, outcome: undefined };
  const push = async () => {
    const { tree: there, manifestVersion, manifest } = await readSourceParameters(process.store, target.layout);
    if (manifest?.state === "pushing") throw new OutriggerError("tree-half-pushed", "another push is in progress");
    const paths = Object.keys(tree).filter((path) => tree[path] !== (there as Record<string, string>)[path]);
    const gone = Object.keys(there).filter((path) => !Object.hasOwn(tree, path));
    const now = () => new Date(shelf.time);
    const settings = { there, manifestVersion, by, now, sleep: async () => {}, report: () => {} };
    await pushTree({ store: process.store, target }, { tree, paths: [...paths, ...gone], ...settings });
  };
  push().then(
    () => {
      pusher.outcome = "made";
    },
    (error: unknown) => {
      if (!(error instanceof OutriggerError)) throw error;
      pusher.outcome = "refused";
    },
  );
  return pusher;
}

async function interleave(pushers: readonly Pusher[], random: () => number): Promise<void> {
  const isIdle = ({ process, outcome }: Pusher) => outcome === undefined && !process.waits();
  for (;;) {
    const left = pushers.filter(({ outcome }) => outcome === undefined);
    if (left.length === 0) return;
    const next = left[Math.floor(random() * left.length)] as Pusher;
    while (isIdle(next)) await null;
    if (next.outcome === undefined) await next.process.step();
    while (isIdle(next)) await null;
  }
}

async function pushed(seed: number) {
  const shelf: Shelf = {
    objects: new Map(),
    parameters: new Map(),
    versions: new Map(),
    time: Date.parse("2026-01-02T00:00:00Z"),
  };
  const first = start(shelf, "ann", BASE);
  await interleave([first], () => 0);
  const pushers = [start(shelf, "bob", OURS), start(shelf, "eve", THEIRS)];
  await interleave(pushers, seededRandom(seed));
  const reader = startProcess(shelf);
  let found: Awaited<ReturnType<typeof readSourceParameters>> | undefined;
  readSourceParameters(reader.store, target.layout).then((source) => {
    found = source;
  });
  while (found === undefined) {
    if (reader.waits()) await reader.step();
    await null;
  }
  return { outcomes: pushers.map(({ outcome }) => outcome), tree: found.tree, manifest: found.manifest };
}

describe("pushes at the same time", () => {
  it(`never both fail, in ${INTERLEAVINGS} interleavings, and leave a whole tree that can be published`, {
    timeout: 120_000,
  }, async () => {
    for (let seed = 1; seed <= INTERLEAVINGS; seed++) {
      const { outcomes, tree, manifest } = await pushed(seed);
      expect({ seed, outcomes }).toEqual({ seed, outcomes: expect.arrayContaining(["made"]) });
      const trees = [OURS, THEIRS].filter((_tree, index) => outcomes[index] === "made");
      expect({ seed, tree: trees.map(treeDigest).includes(treeDigest(tree)) }).toEqual({ seed, tree: true });
      const isWhole = manifest?.state === "complete" || manifest?.digest === treeDigest(tree);
      expect({ seed, isWhole, outcomes }).toEqual({ seed, isWhole: true, outcomes });
    }
  });
});

describe("pushTree()", () => {
  it("says how far it is with each batch that it deletes", async () => {
    const store = fakeParameterStore();
    const there = Object.fromEntries(Array.from({ length: 23 }, (_, at) => [`values/${at + 10}`, "a: 1\n"]));
    const said: string[] = [];
    const settings = {
      by: "ann",
      advanced: true,
      sleep: async () => {},
      report: (text: string) => said.push(text),
    } as const;
    const all = Object.keys(there);
    await pushTree({ store, target }, { tree: there, there: {}, paths: all, ...settings });
    await pushTree({ store, target }, { tree: {}, there, paths: all, ...settings });
    expect(said.filter((text) => text.startsWith("Deleting"))).toEqual(
      [1, 11, 21].map((at) => `Deleting (${at} of 23)`),
    );
    expect(Object.keys(store.values())).toEqual([target.layout.sourceParameter("manifest")]);
  });
});
