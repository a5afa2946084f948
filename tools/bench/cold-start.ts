// `node --import tsx tools/bench/cold-start.ts --help` prints the options. What a cold start costs on the deployed Node, started as Lambda
// starts it, each run a process of its own: from the start of the process to the first answer of functions/inject, with its
// release from a Parameter Store (the fake, on loopback), compared with an empty function measured
// the same way. The difference is ours. For the other functions, what loading them takes. With several numbers of clusters, only
// what they cost is measured: starts before a store of each in turn, so that whatever else the machine does falls on all alike.
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { compileRelease } from "@outrigger/injector";
import { readSourceTree } from "@outrigger/publisher";
import { build } from "esbuild";
import { unzipSync } from "fflate";
import { projectRoot, shared } from "../../scripts/build/bundled-release.ts";
import { buildArtifacts } from "../../scripts/build/package-functions.ts";
import { deployedNode } from "../support/node24.ts";
import { tableLines, withRows } from "../support/page-rows.ts";
import { readRecord } from "../support/read-record.ts";
import { toolOptions } from "../support/tool-options.ts";
import type { ChildReport, Reading } from "./cold-start-child.ts";
import { startStore } from "./cold-start-store.ts";
import { DEFAULT_MEMORY, lambdaFlags } from "./lambda-node.ts";

type Store = Awaited<ReturnType<typeof startStore>>;

const PAGE = "docs/contributing/serving.md";

interface Variant {
  readonly name: string;
  readonly file: string;
  readonly env: Readonly<Record<string, string>>;
  /** The event that the function is called with. Without one it is only loaded. */
  readonly event?: unknown;
}

const options = toolOptions({
  command: "node --import tsx tools/bench/cold-start.ts",
  says: "Starts the functions as Lambda does, and prints how long each takes to its first answer, in medians.",
  options: {
    runs: { type: "integer", least: 1, value: "N", default: 31, says: "how often each function is started" },
    latency: { type: "number", value: "MS", default: 10, says: "milliseconds that Parameter Store takes for a call" },
    clusters: {
      type: "integer",
      least: 1,
      several: true,
      value: "N",
      default: [100],
      says: "how many clusters are registered; 1,5000 compares starts with so many",
    },
    memory: { type: "integer", least: 128, value: "MB", default: DEFAULT_MEMORY, says: "the functions' memory" },
    write: { type: "boolean", says: "write the medians into docs/contributing/serving.md" },
  },
  example: "node --import tsx tools/bench/cold-start.ts --runs 5",
});
const [load = 0] = loadavg();
const { path: node, version, reason } = deployedNode();
const child = join(projectRoot, "dist/cold-start/child.mjs");
const sample = join(projectRoot, "templates/samples/deployment-pod.yaml");
const functions = join(projectRoot, "dist/cold-start");
const names = ["inject", "canary", "publish", "register"];

await unpackFunctions();
await build({ ...shared, entryPoints: ["tools/bench/cold-start-child.ts"], outfile: child, format: "esm" });
const bundled = compileRelease([await readSourceTree(join(projectRoot, "templates"))]);
const counts = options.clusters;
const stores = await Promise.all(
  counts.map((count) => startStore(options.latency, count, readFileSync(sample, "utf8"), bundled)),
);
const [store] = stores;
if (store === undefined) throw new Error("--clusters names no number");
const variants: readonly Variant[] = [
  { name: "an empty function", file: emptyFunction(), event: store.event, env: {} },
  ...(stores.length > 1 ? comparedVariants() : allVariants(store)),
];
const measured = variants.map((variant): { variant: Variant; runs: ChildReport[] } => ({ variant, runs: [] }));

for (let run = 0; run < options.runs; run += 1) {
  for (const { variant, runs } of measured) runs.push(await measure(variant));
}
await Promise.all(stores.map(({ close }) => close()));
const place = reason === undefined ? "" : ` in place of the deployed one: ${reason}`;
const machine = `Node ${version}${place}, ${options.memory} MB, ${options.runs} runs, ${options.latency} ms a call of the store, ${options.clusters} clusters, load ${load.toFixed(1)} when it began`;
const empty = measured[0]?.runs ?? [];
const table = tableLines(
  ["milliseconds, medians (best)", "loaded, elapsed", "loaded, processor", "answered, elapsed", "answered, processor"],
  measured.slice(1).map(({ variant: { name, event }, runs }) => {
    const loaded = [over(runs, "loaded", "elapsed"), over(runs, "loaded", "processor")];
    const answered = [over(runs, "answered", "elapsed"), over(runs, "answered", "processor")];
    return [name, ...loaded, ...(event === undefined ? ["", ""] : answered)];
  }),
);
const lines = [`${machine}. What is above an empty function:`, "", ...table];
console.log([...lines, ...comparison()].join("\n"));
if (options.write && stores.length === 1)
  writeFileSync(PAGE, withRows(readFileSync(PAGE, "utf8"), "cold-start", lines));

function allVariants({ event, openEvent, unusualEvent, env, secureEnv }: Store): readonly Variant[] {
  return [
    { name: "inject, release of the artifact", file: entryOf("inject"), event: openEvent, env: {} },
    { name: "inject, release from the store", file: entryOf("inject"), event, env },
    { name: "the same, a pod of a new shape", file: entryOf("inject"), event: unusualEvent, env },
    { name: "store over TLS", file: entryOf("inject"), event, env: { ...env, ...secureEnv } },
    ...names.slice(1).map((name) => ({ name: `${name}, loaded`, file: entryOf(name), env })),
  ];
}

function comparedVariants(): readonly Variant[] {
  return stores.map(({ event, env }, index) => ({ name: clustersOf(index), file: entryOf("inject"), event, env }));
}

function clustersOf(index: number): string {
  return counts[index] === 1 ? "1 cluster" : `${counts[index]} clusters`;
}

/**
 * What each number of clusters takes from the start of the process to the answer, in times of what the first takes: the median of the
 * ratios of starts that followed each other, with its quartiles; and what a start asks for.
 */
function comparison(): readonly string[] {
  if (stores.length < 2) return [];
  const [, base, ...others] = measured;
  const ratiosOf = (runs: readonly ChildReport[], what: keyof Reading) =>
    runs.map((run, index) => run.answered[what] / (base?.runs[index]?.answered[what] ?? Number.NaN));
  const ratios = others.map(({ variant: { name }, runs }) => {
    const [elapsed, processor] = (["elapsed", "processor"] as const).map((what) => quartiles(ratiosOf(runs, what)));
    return `${name} in times of ${base?.variant.name}, medians (quartiles): ${elapsed} elapsed, ${processor} of the processor`;
  });
  const asked = stores.map(({ traffic }, index) => {
    const { parameterCalls, objectCalls, characters } = traffic();
    const [parameters, objects, kilobytes] = [parameterCalls, objectCalls, characters / 1000].map((sum) =>
      (sum / options.runs).toFixed(1),
    );
    return `${clustersOf(index)}: ${parameters} calls of Parameter Store, ${objects} of the bucket, ${kilobytes} KB`;
  });
  return ["", ...ratios, ...asked];
}

function quartiles(numbers: readonly number[]): string {
  const at = (share: number) => quantile(numbers, share).toFixed(2);
  return `${at(0.5)} (${at(0.25)} to ${at(0.75)})`;
}

/** The best is that of the best runs, not of one run: on a busy machine it says more than the median. */
function over(runs: readonly ChildReport[], moment: "loaded" | "answered", what: keyof Reading): string {
  const times = runs.map((run) => run[moment][what]);
  const base = empty.map((run) => run[moment][what]);
  const best = Math.min(...times) - Math.min(...base);
  return `${(median(times) - median(base)).toFixed(1)} (${best.toFixed(1)})`;
}

async function measure({ name, file, event, env }: Variant): Promise<ChildReport> {
  const args = [...lambdaFlags(options.memory), child, file, ...(event === undefined ? [] : [JSON.stringify(event)])];
  const { stderr } = await promisify(execFile)(node, args, { env: { PATH: process.env["PATH"], ...env } });
  const line = stderr.trim().split("\n").at(-1) ?? "";
  const figures = readRecord<ChildReport>(line, `the last line of ${name}`, { loaded: "object", answered: "object" });
  if (event !== undefined && figures.status !== 200) throw new Error(`${name} answered ${figures.status}`);
  return figures;
}

function emptyFunction(): string {
  const file = join(functions, "empty.cjs");
  writeFileSync(file, "exports.handler = async () => ({ statusCode: 200 });\n");
  return file;
}

/** Unpacks the functions as they are deployed. */
async function unpackFunctions(): Promise<void> {
  await buildArtifacts(names, functions);
  for (const name of names) {
    mkdirSync(join(functions, name), { recursive: true });
    const files = unzipSync(readFileSync(join(functions, `${name}.zip`)));
    for (const [file, bytes] of Object.entries(files)) writeFileSync(join(functions, name, file), bytes);
  }
}

function entryOf(name: string): string {
  return join(functions, name, "index.cjs");
}

function median(numbers: readonly number[]): number {
  return quantile(numbers, 0.5);
}

function quantile(numbers: readonly number[], share: number): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * share)] ?? Number.NaN;
}
