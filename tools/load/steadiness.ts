// `node --import tsx tools/load/steadiness.ts --help` prints the options. The function's bundled handler, on the deployed Node with Lambda's
// flags. First the pods of the benchmark, one by one, in turn with as many of the JSON floor: the slowest
// hundredth against the median, by the clock, of the requests during which the system did not take the processor away, and
// how many of the slowest had a garbage collection in them. Then pods of workloads that all differ: the heap after
// garbage collection, ten times on the way.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { type PerformanceEntry, PerformanceObserver } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import type { JsonObject } from "@outrigger/base";
import { seededRandom } from "@outrigger/fake-aws";
import { compileRelease } from "@outrigger/injector";
import { readSourceTree } from "@outrigger/publisher";
import { buildFunction } from "../../scripts/build/build-bundles.ts";
import { projectRoot } from "../../scripts/build/bundled-release.ts";
import { readLines } from "../../test/reference/read-reference.ts";
import { eventOf } from "../../test/support/gateway-event.ts";
import { floorPatch, floorRequest } from "../bench/floor.ts";
import { DEFAULT_MEMORY, lambdaFlags } from "../bench/lambda-node.ts";
import { ofNewWorkload } from "../bench/new-workload.ts";
import { podOf } from "../fuzz/pods.ts";
import { deployedNode } from "../support/node24.ts";
import { tableLines, withRows } from "../support/page-rows.ts";
import { readRecord } from "../support/read-record.ts";
import { toolOptions } from "../support/tool-options.ts";

type Handler = (event: object) => Promise<{ readonly statusCode: number }>;

const options = toolOptions({
  command: "node --import tsx tools/load/steadiness.ts",
  says: [
    "Sends requests to the function's handler, and prints how much longer the slowest take than the median, next to those of the JSON",
    "floor; then sends pods that all differ, and prints the heap. Exits 1 where the slowest take too long, or the heap grows.",
  ].join("\n"),
  options: {
    requests: {
      type: "integer",
      value: "N",
      default: 10000,
      says: "requests for each pod of the benchmark; 0 for none",
    },
    pods: { type: "integer", value: "N", default: 1000000, says: "pods that all differ; 0 for none" },
    memory: { type: "integer", least: 128, value: "MB", default: DEFAULT_MEMORY, says: "the function's memory" },
    write: { type: "boolean", says: "write the first table into docs/contributing/scale.md" },
  },
  example: "node --import tsx tools/load/steadiness.ts --pods 0",
});
const { requests, pods } = options;
const PAGE = join(projectRoot, "docs/contributing/scale.md");
const WARM_UP = 2000;
const STEPS = 10;
/** The factor by which the slowest hundredth may take longer than that of the floor, both in medians. */
const TAIL_BAR = 1.5;
/** The pods of a workload that follow each other, so that what is remembered of it is used, and makes way for the next. */
const REPLICAS = 3;
/** Bytes that the heap may grow by between the first tenth, after which the caches are full, and the last. */
const GROWTH = 10_000_000;

if (globalThis.gc === undefined) process.exit(runAsInLambda());
const collectGarbage = globalThis.gc;
const handler = await loadHandler();

const [load = 0] = loadavg();
const rows: (readonly string[])[] = [];
for (const line of requests === 0 ? [] : readLines("pods")) rows.push(await measure(line));
if (options.write) writeRows();
if (pods > 0) await soak();

/** Runs the same script on the deployed Node, with Lambda's flags, and returns its exit status. */
function runAsInLambda(): number {
  const { path, version, reason } = deployedNode();
  const place = reason === undefined ? "" : ` in place of the deployed one: ${reason}`;
  console.log(`Node ${version}${place}, ${options.memory} MB`);
  const args = [...lambdaFlags(options.memory), ...process.execArgv, ...process.argv.slice(1)];
  return spawnSync(path, args, { stdio: "inherit" }).status ?? 1;
}

async function loadHandler(): Promise<Handler> {
  const { file } = await buildFunction("inject", { outfile: "dist/load/inject.cjs" });
  const module = await import(join(projectRoot, file));
  const { createHandler } = module.default ?? module;
  const release = compileRelease([await readSourceTree(join(projectRoot, "templates"))]);
  return createHandler({ release, write: () => undefined, metrics: { stage: "load", now: Date.now } });
}

/** Prints what a pod takes, and returns its row of the table. */
async function measure(line: string): Promise<readonly string[]> {
  const { name, request, patchBytes } = readRecord<{
    readonly name: string;
    readonly request: { readonly object: object };
    readonly patchBytes: number;
  }>(line, "a pod of the benchmark", { name: "text", request: "object", patchBytes: "number" });
  const text = JSON.stringify(eventOf({ object: request.object, namespace: "shop" }));
  const patch = floorPatch(patchBytes);
  const subjects: readonly Subject[] = [
    { name: "the JSON floor", run: () => floorRequest(text, patch) },
    { name: "a replica", run: () => send(text) },
    { name: "a new workload", run: send, next: () => ofNewWorkload(text) },
  ];
  const collections: PerformanceEntry[] = [];
  const observer = new PerformanceObserver((list) => void collections.push(...list.getEntries()));
  observer.observe({ entryTypes: ["gc"] });
  const timings = subjects.map((): Timing[] => []);
  for (let done = -WARM_UP; done < requests; done++) {
    for (const [at, { run, next }] of subjects.entries()) {
      const sent = next === undefined ? text : next();
      const [before, started] = [interruptions(), performance.now()];
      await run(sent);
      const ended = performance.now();
      if (done >= 0) timings[at]?.push({ started, ended, isInterrupted: interruptions() > before });
    }
  }
  // The observer hears of collections when the process is idle.
  await delay(100);
  observer.disconnect();
  for (const [at, subject] of subjects.entries()) {
    console.log(`${name}, ${subject.name}: ${describe(timings[at] ?? [], collections)}`);
  }
  const [floor = Number.NaN, ...ours] = timings.map((each) => tailOf(spreadOf(each.filter(isQuiet))));
  const inFloors = ours.map((tail, at) => `${subjects[at + 1]?.name} ${(tail / floor).toFixed(2)}`);
  console.log(`${name}, p99 in medians, in times of the floor's own: ${inFloors.join(", ")}; the bar is ${TAIL_BAR}`);
  return [name, ...timings.map((each) => cell(each.filter(isQuiet))), ...ours.map((tail) => (tail / floor).toFixed(2))];
}

function cell(timings: readonly Timing[]): string {
  const spreadOut = spreadOf(timings);
  return `${spreadOut.median.toFixed(0)}, ${spreadOut.p99.toFixed(0)} (${tailOf(spreadOut).toFixed(1)} times)`;
}

function writeRows(): void {
  const head = ["", "JSON floor", "a replica", "a new workload", "a replica's in the floor's", "a new workload's"];
  const machine = `Node ${process.version}, load ${load.toFixed(1)} when it began:`;
  const text = withRows(readFileSync(PAGE, "utf8"), "tail", [machine, "", ...tableLines(head, rows)]);
  writeFileSync(PAGE, text);
}

interface Subject {
  readonly name: string;
  readonly run: (text: string) => unknown;
  /** Makes what is sent next; that is not measured. */
  readonly next?: () => string;
}

interface Timing {
  /** Milliseconds of the clock. */
  readonly started: number;
  readonly ended: number;
  /** Whether another process had the processor meanwhile. */
  readonly isInterrupted: boolean;
}

/** Returns how often the system has taken the processor away from this process. */
function interruptions(): number {
  return process.resourceUsage().involuntaryContextSwitches;
}

/** Median and slowest hundredth, and how many of these had a garbage collection in them. */
function describe(timings: readonly Timing[], collections: readonly PerformanceEntry[]): string {
  const quiet = timings.filter(isQuiet);
  const slow = quiet.toSorted((a, b) => durationOf(b) - durationOf(a)).slice(0, Math.ceil(quiet.length / 100));
  const collected = slow.filter(({ started, ended }) =>
    collections.some(({ startTime, duration }) => startTime < ended && startTime + duration > started),
  );
  return `${spread(quiet)}, ${collected.length} of the slowest ${slow.length} with a garbage collection; ${timings.length - quiet.length} interrupted, with these ${spread(timings)}`;
}

function isQuiet({ isInterrupted }: Timing): boolean {
  return !isInterrupted;
}

function spread(timings: readonly Timing[]): string {
  const { median, p99 } = spreadOf(timings);
  return `median ${median.toFixed(0)} us, p99 ${p99.toFixed(0)} us (${(p99 / median).toFixed(1)} times)`;
}

interface Spread {
  readonly median: number;
  readonly p99: number;
}

function spreadOf(timings: readonly Timing[]): Spread {
  const sorted = timings.map(durationOf).toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
  return { median: at(0.5), p99: at(0.99) };
}

function tailOf({ median, p99 }: Spread): number {
  return p99 / median;
}

/** Returns the duration in microseconds. */
function durationOf({ started, ended }: Timing): number {
  return (ended - started) * 1000;
}

async function send(text: string): Promise<void> {
  const { statusCode } = await handler(JSON.parse(text));
  if (statusCode !== 200) throw new Error(`A request was answered with ${statusCode}`);
}

async function soak(): Promise<void> {
  const heaps: number[] = [];
  const step = Math.ceil(pods / STEPS);
  for (let seed = 1; seed <= pods; seed++) {
    const workload = Math.floor(seed / REPLICAS);
    const object = ofController(podOf(seededRandom(workload)), `u-${workload}`);
    const { statusCode } = await handler(eventOf({ object, namespace: `shop-${workload % 50}` }));
    if (statusCode >= 500) throw new Error(`The pod of seed ${seed} was answered with ${statusCode}`);
    if (seed % step !== 0 && seed !== pods) continue;
    heaps.push(heapNow());
    // A run that is ended has shown something too.
    console.error(`${seed} pods: ${inMegabytes(heaps)} MB`);
  }
  console.log(`${pods} varied pods: heap after garbage collection, at each tenth: ${inMegabytes(heaps)} MB`);
  if ((heaps.at(-1) ?? 0) - (heaps[0] ?? 0) <= GROWTH) return;
  console.log("The heap grows");
  process.exitCode = 1;
}

function inMegabytes(sizes: readonly number[]): string {
  return sizes.map((bytes) => (bytes / 1e6).toFixed(1)).join(", ");
}

function ofController(pod: JsonObject, uid: string): JsonObject {
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web-1", uid, controller: true };
  return { ...pod, metadata: { ...(pod["metadata"] as JsonObject), ownerReferences: [owner] } };
}

function heapNow(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
