import { expect, test } from "vitest";
import { podGenerator } from "../../../test/support/generated-pods.ts";
import { generatedTree } from "../../../test/support/generated-trees.ts";
import { checkChanges, creditedLines, lineChanges, tracedPods } from "../../../test/support/line-changes.ts";
import { pick, randomOf } from "../../../test/support/random.ts";
import { shippedTree } from "../../../test/support/shipped-tree.ts";
import { samplePods } from "../release/samples/sample-pods.ts";

/** Groups of lines that are changed together, and trees that they are changed in. One tree is a sample of a few lines. */
const groups = Number(process.env["OUTRIGGER_PROVENANCE_GROUPS"] ?? 2);
const trees = Number(process.env["OUTRIGGER_PROVENANCE_TREES"] ?? 1);
const LINES_OF_GROUP = trees === 1 ? 4 : 20;

const shipped = await shippedTree();
const aPod = podGenerator();

test("traceInjection() credits each line of a template with exactly the nodes that change with the line's scalar", () => {
  let nodes = 0;
  for (let seed = 1; seed <= trees; seed++) {
    const random = randomOf(seed);
    const tree = { ...shipped, ...generatedTree(random), "samples/generated": JSON.stringify(aPod(random)) };
    const requests = samplePods([tree]).map(({ request }) => ({ ...request, isTrial: true }));
    const pods = tracedPods([tree], requests);
    const credited = creditedLines(pods);
    const changes = lineChanges([tree]);
    const writing = changes.filter(({ path, line }) => credited.has(`${path}:${line}`));
    const others = changes.filter((change) => !writing.includes(change));
    for (let group = 0; group < groups; group++) {
      const from = group % 2 === 0 ? writing : others;
      const chosen = new Set(Array.from({ length: LINES_OF_GROUP }, () => pick(random, from)));
      const checked = checkChanges([...chosen], [tree], pods);
      expect(checked.faults).toEqual([]);
      nodes += checked.nodes;
    }
  }
  expect(nodes).toBeGreaterThan(0);
});
