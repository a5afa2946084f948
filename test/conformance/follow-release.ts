// `node --import tsx test/conformance/follow-release.ts ISTIO_GIT_DIR FROM TO [DIR]`: what a new Istio release changes. Prints what its
// chart changes since the tag FROM of the shipped layer, imports its templates, injects the stored pods with them, and prints how
// many pods differ from the shipped layer, by field. With DIR, writes the templates and partials there, as a tree's own.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isObject } from "@outrigger/base";
import { loadRelease, type SourceTree } from "@outrigger/injector";
import { readSourceTree } from "@outrigger/publisher";
import { vendoredSets } from "./case-sets.ts";
import { compareObjects } from "./compare-objects.ts";
import { type CaseInput, type CaseOutcome, outcomeOfError, releaseOfCase, throughInjector } from "./entry-points.ts";
import { chartChanges, importChart } from "./import-chart.ts";

const [repository, from, to, directory] = process.argv.slice(2);
if (repository === undefined || from === undefined || to === undefined)
  throw new Error("Name the git directory of a clone of istio/istio, the tag of the shipped layer, and the new tag");
const shipped = await readSourceTree("templates");
const { tree, templates, findings } = importChart(repository, to, shipped);
console.log(chartChanges(repository, from, to));
for (const finding of findings) console.log(finding);

const kinds = new Map<string, number>();
let [pods, differ] = [0, 0];
for (const { expect: _, ...input } of vendoredSets().flatMap((set) => set.cases)) {
  const lines = differences(await outcomeWith(shipped, input), await outcomeWith(tree, input));
  pods += 1;
  if (lines.length > 0) differ += 1;
  for (const kind of new Set(lines.map((line) => line.replace(/\[\d+\]/g, "[]").replace(/: .*/, ""))))
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
}
for (const [kind, count] of [...kinds].sort(([, a], [, b]) => b - a))
  console.log(`${String(count).padStart(4)} ${kind}`);
console.log(`${pods - differ} of ${pods} stored pods are as with the shipped layer, ${findings.length} findings`);

if (directory !== undefined) {
  for (const [path, text] of Object.entries(templates)) {
    const file = join(directory, `${path}.hbs`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

async function outcomeWith(layer: SourceTree, input: CaseInput): Promise<CaseOutcome> {
  try {
    return await throughInjector(input, loadRelease(releaseOfCase(layer, input)));
  } catch (error) {
    return outcomeOfError(error);
  }
}

function differences(before: CaseOutcome, after: CaseOutcome): readonly string[] {
  const [a, b] = [before, after].map((outcome) => (outcome.kind === "pod" ? outcome.pod : outcome.kind));
  return isObject(a) && isObject(b)
    ? compareObjects(a, b)
    : a === b
      ? []
      : [`${String(before.kind)} → ${String(after.kind)}`];
}
