// Checks provenance line by line: `node --import tsx tools/provenance/every-line.ts [--lines --from 200 --trees 100]`. Every line of the shipped templates, of the examples and
// of the reference's own templates that a pod shows is changed, and exactly the nodes that it is credited with must change.
import { parseArgs } from "node:util";
import type { SourceTree } from "@outrigger/injector";
import { readSourceTree } from "@outrigger/publisher";
import {
  type Checked,
  checkAlone,
  checkChanges,
  creditedLines,
  lineChanges,
  otherChanges,
  type TracedPod,
  textsOf,
  tracedPods,
} from "./line-changes.ts";
import { provenanceSettings, type Setting } from "./settings.ts";

const { values } = parseArgs({
  options: {
    lines: { type: "boolean", default: false },
    from: { type: "string", default: "0" },
    trees: { type: "string", default: "Infinity" },
  },
});

const LINES_AT_ONCE = 40;

/** Trees in which a line is tried that cannot be changed in the ones before. */
const MOST_TRIES = 3;

/** Lines that pods show, by file, text and number; the same file is in many trees. */
const shown = new Map<string, string>();
const checked = new Set<string>();
const tries = new Map<string, number>();
const faults: string[] = [];
let nodes = 0;
let trees = 0;
let pods = 0;

const settings = await provenanceSettings(await readSourceTree("templates"));
for (const setting of settings.slice(Number(values.from), Number(values.from) + Number(values.trees))) {
  check(setting);
  if (process.stderr.isTTY || values.lines) {
    process.stderr.write(`${setting.name}: ${checked.size} of ${shown.size} lines\n`);
  }
}

const unchecked = [...shown].filter(([key]) => !checked.has(key)).map(([, line]) => line);
console.log(`${trees} trees, ${pods} pods: ${shown.size} lines of templates write scalars that pods show`);
console.log(
  `${checked.size} of them changed, with ${nodes} nodes: exactly those that the lines are credited with, ${faults.length} faults`,
);
console.log(
  `${unchecked.length} cannot be changed without changing more: they name what other lines refer to, or choose what is written`,
);
if (values.lines) for (const line of unchecked) console.log(`  ${line}`);
for (const fault of faults) console.error(fault);
if (faults.length > 0 || checked.size === 0) process.exitCode = 1;

function check({ name, layers, requests }: Setting): void {
  const traced = tracedPods(
    layers,
    requests.map((request) => ({ ...request, isTrial: true })),
  );
  if (traced.length === 0) return;
  trees += 1;
  pods += traced.length;
  const texts = textsOf(layers);
  const credited = creditedLines(traced);
  for (const place of credited) shown.set(keyOf(place, texts), `${place}: ${lineOf(place, texts)}`);
  const isLeft = (place: string) => {
    const key = keyOf(place, texts);
    return !checked.has(key) && (tries.get(key) ?? 0) < MOST_TRIES;
  };
  const left = lineChanges(layers).filter(({ path, line }) => {
    const place = `${path}:${line}`;
    return credited.has(place) && isLeft(place);
  });
  const needed = podsThatShow(new Set(left.map(({ path, line }) => `${path}:${line}`)), traced);
  for (let from = 0; from < left.length; from += LINES_AT_ONCE) {
    take(checkChanges(left.slice(from, from + LINES_AT_ONCE), layers, needed), true);
  }
  for (const place of [...credited].filter(isLeft)) {
    const key = keyOf(place, texts);
    tries.set(key, (tries.get(key) ?? 0) + 1);
    const shows = podsThatShow(new Set([place]), traced);
    const result = checkAlone(otherChanges(place, layers, shows), layers, shows);
    // A line that changes other lines' nodes as well decides more than its own node.
    const isWrong = result.faults.some((fault) => fault.includes("does not change"));
    if (result.faults.length === 0 || isWrong) take(result, isWrong);
  }

  function take(result: Checked, countsFaults: boolean): void {
    for (const place of result.lines) checked.add(keyOf(place, texts));
    if (countsFaults) faults.push(...result.faults.map((fault) => `${name}: ${fault}`));
    nodes += result.nodes;
  }
}

/** Of many pods, as many as show all the lines. */
function podsThatShow(lines: ReadonlySet<string>, traced: readonly TracedPod[]): readonly TracedPod[] {
  const missing = new Set(lines);
  return traced.filter((pod) => {
    const mine = [...creditedLines([pod])].filter((line) => missing.has(line));
    for (const line of mine) missing.delete(line);
    return mine.length > 0;
  });
}

function keyOf(place: string, texts: SourceTree): string {
  const path = place.slice(0, place.lastIndexOf(":"));
  return JSON.stringify([place, texts[path]]);
}

function lineOf(place: string, texts: SourceTree): string {
  const at = place.lastIndexOf(":");
  return (texts[place.slice(0, at)]?.split("\n")[Number(place.slice(at + 1)) - 1] ?? "").trim();
}
