// What is remembered of trials, of branches and of writes changes nothing: after any edits, a tree comes out as in a process that has seen
// nothing before. OUTRIGGER_RANDOM_EDITS=100 OUTRIGGER_PROPERTY_SEED=7 for more.
import { expect, it, vi } from "vitest";
import { randomOf } from "../../../../test/support/random.ts";
import { randomEdit } from "../../../../test/support/random-edits.ts";
import { shippedTree } from "../../../../test/support/shipped-tree.ts";
import type { SourceTree } from "../source-tree.ts";

const RUNS = Number(process.env["OUTRIGGER_RANDOM_EDITS"] ?? 2);
const SEED = Number(process.env["OUTRIGGER_PROPERTY_SEED"] ?? 1);

async function freshModules() {
  vi.resetModules();
  const { lintTree } = await import("../compile-release.ts");
  const { releaseWrites } = await import("../writes/release-writes.ts");
  return (layers: readonly SourceTree[]) => {
    const { findings, release } = lintTree(layers);
    const found = release && releaseWrites(release);
    return JSON.stringify([findings, release, found && [...found.writes], found?.skeletons]);
  };
}

it(`${RUNS} edits of one tree after the other come out as each of them alone`, async () => {
  const shipped = await shippedTree();
  const random = randomOf(SEED);
  const remembering = await freshModules();
  for (let run = 0; run < RUNS; run++) {
    const { what, tree } = randomEdit(random, shipped);
    const alone = await freshModules();
    expect(remembering([shipped, tree]) === alone([shipped, tree]), what).toBe(true);
  }
}, 3_600_000);
