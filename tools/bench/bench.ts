// `npm run bench -- --help` prints the options. Measures the bundled handler on the deployed Node against the JSON floor, in one run.
// Prints microseconds, the ratio to the floor (the mean's, and the median's), operations and bytes of the patch, and where the time goes.
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { JsonObject } from "@outrigger/base";
import type { Release } from "@outrigger/injector";
import type { Pod } from "@outrigger/pod";
import { readSourceTree } from "@outrigger/publisher";
import { build } from "esbuild";
import { buildFunction } from "../../scripts/build/build-bundles.ts";
import { projectRoot, shared } from "../../scripts/build/bundled-release.ts";
import { readLines } from "../../test/reference/read-reference.ts";
import { eventOf, type PodCall } from "../../test/support/gateway-event.ts";
import { compareObjects } from "../conformance/compare-objects.ts";
import { decodeCase, namespaceOf } from "../conformance/conformance-case.ts";
import { applied, operationsOf, patchTextOf, releaseOfCase } from "../conformance/entry-points.ts";
import { type DeployedNode, deployedNode } from "../support/node24.ts";
import { withRows } from "../support/page-rows.ts";
import { readRecord } from "../support/read-record.ts";
import { toolOptions } from "../support/tool-options.ts";
import { benchLines } from "./bench-tables.ts";
import { DEFAULT_MEMORY, lambdaFlags } from "./lambda-node.ts";
import { type BenchPod, type Scenario, scenariosOf } from "./scenarios.ts";
import type { Job, Measured, ScenarioResult } from "./worker.ts";

const options = toolOptions({
  command: "npm run bench --",
  says: "Measures the bundled inject function against the JSON floor.",
  arguments: {
    pods: {
      value: "PODS.jsonl",
      optional: true,
      says: "the pods, one JSON object per line; otherwise those of test/reference",
    },
  },
  options: {
    json: { type: "boolean", says: "print JSON" },
    check: { type: "boolean", says: "exit with 1 where a bar is missed" },
    rounds: { type: "integer", least: 1, value: "N", default: 11, says: "measurements, of which the median counts" },
    iterations: { type: "integer", least: 1, value: "N", default: 1000, says: "requests in each" },
    processor: { type: "boolean", says: "measure the thread's processor time, not the clock" },
    write: { type: "boolean", says: "write the table of docs/contributing/measuring-tools.md" },
  },
  example: "npm run bench -- --rounds 3 --iterations 200",
});
/** Requests after which V8 has compiled what it compiles. */
const COMPILED = 2000;
/** The most that judging by guardrails may cost besides, in floors. */
const GUARDRAILS_BAR = 0.05;
/** The factor by which a patch may be longer than a minimal one. */
const PATCH_SLACK = 1.1;

const PAGE = join(projectRoot, "docs/contributing/measuring-tools.md");

process.exitCode = await run();

async function run(): Promise<number> {
  const { pods: file } = options;
  const load = loadavg()[0] ?? Number.NaN;
  const lines = file === undefined ? readLines("pods") : readFileSync(file, "utf8").trim().split("\n");
  const scenarios = scenariosOf(lines.map(decodePod));
  const node = deployedNode();
  const measured = await measure(node, await jobOf(scenarios));
  const rows = measured.results.map((result) => judge(result, scenarioOf(result, scenarios)));
  const report: BenchReport = {
    node: measured.node,
    load,
    substitute: node.reason,
    rows,
    guardrails: meanOf(rows.flatMap(({ guardrails = [] }) => guardrails)),
    stages: measured.stages,
  };
  if (options.json) console.log(JSON.stringify(report, null, 1));
  else print(report);
  if (options.write) writeFigures(report);
  const isGood = rows.every((row) => row.ok) && report.guardrails <= GUARDRAILS_BAR;
  return options.check && !isGood ? 1 : 0;
}

function scenarioOf({ name }: ScenarioResult, scenarios: readonly Scenario[]): Scenario {
  const scenario = scenarios.find((one) => one.name === name);
  if (scenario === undefined) throw new Error(`The worker measured "${name}", which is no scenario`);
  return scenario;
}

interface BenchReport {
  readonly node: string;
  /** The machine's load when the bench began: the average number of processes that wanted a processor in the minute before. */
  readonly load: number;
  /** The reason why the deployed Node was not used. */
  readonly substitute: string | undefined;
  readonly rows: readonly Row[];
  /**
   * The additional cost of judging by guardrails, in floors. It is the mean of the scenarios, because one is within the
   * noise.
   */
  readonly guardrails: number;
  readonly stages: Measured["stages"];
}

interface Row extends Omit<ScenarioResult, "answers"> {
  readonly bar: number;
  readonly goal: number | undefined;
  readonly operations: number;
  readonly bytes: number;
  readonly maxBytes?: number;
  readonly differences?: readonly string[];
  readonly ok: boolean;
}

function decodePod(line: string): BenchPod {
  const conformanceCase = decodeCase(line);
  const { patchBytes } = readRecord<{ readonly patchBytes: number }>(line, `the pod ${conformanceCase.name}`, {
    patchBytes: "number",
  });
  const { object } = conformanceCase.request;
  if (object === undefined) throw new Error(`${conformanceCase.name}: there is no pod to inject`);
  return { name: conformanceCase.name, case: conformanceCase, pod: object as Pod, patchBytes, isMeasured: true };
}

async function jobOf(scenarios: readonly Scenario[]): Promise<Job> {
  const first = scenarios[0]?.pods[0];
  if (first === undefined) throw new Error("Cannot measure: there is no pod");
  const shipped = await readSourceTree(join(projectRoot, "templates"));
  const bundle = await buildFunction("inject");
  const readableBundle = await buildFunction("inject", { minify: false, outfile: "dist/bench/inject.cjs" });
  return {
    bundle: join(projectRoot, bundle.file),
    readableBundle: join(projectRoot, readableBundle.file),
    release: withAllChecks(releaseOfCase(shipped, first.case)),
    rounds: options.rounds,
    iterations: options.iterations,
    time: options.processor ? "processor" : "clock",
    warmUp: Math.max(COMPILED, 3 * options.iterations),
    scenarios: scenarios.map(({ name, fresh, isNewWorkload, pods }) => ({
      name,
      fresh,
      isNewWorkload,
      events: pods.map((bench) => JSON.stringify(eventOf(callOf(bench)))),
      patchBytes: pods.map(({ patchBytes }) => patchBytes),
    })),
  };
}

/** A conformance case asks for the reference's pods, whether or not an API server accepts them. */
function withAllChecks(release: Release): Release {
  const { compatibility: _, ...config } = release.config;
  return { ...release, config };
}

function callOf({ case: { request, ...rest }, pod }: BenchPod): PodCall {
  return { object: pod, namespace: namespaceOf({ ...rest, request }), path: request.path };
}

async function measure(node: DeployedNode, job: Job): Promise<Measured> {
  const jobFile = join(projectRoot, "dist/bench/job.json");
  mkdirSync(dirname(jobFile), { recursive: true });
  writeFileSync(jobFile, JSON.stringify(job));
  const worker = join(projectRoot, "dist/bench/worker.mjs");
  await build({ ...shared, entryPoints: ["tools/bench/worker.ts"], outfile: worker, format: "esm" });
  const { stdout } = await promisify(execFile)(node.path, [...lambdaFlags(DEFAULT_MEMORY), worker, jobFile], {
    maxBuffer: 1 << 28,
  });
  return readRecord<Measured>(stdout, `what ${worker} printed`, { node: "text", results: "list", stages: "object" });
}

function judge({ answers, ...figures }: ScenarioResult, scenario: Scenario): Row {
  const [pod] = scenario.pods;
  // A pod that is denied or skipped takes another time than one that is injected.
  const other = answers.findIndex((answer) => operationsOf(patchTextOf(answer)).length === 0);
  if (other !== -1) throw new Error(`Cannot measure "${scenario.name}": pod ${other + 1} of it is not injected`);
  const patchText = patchTextOf(answers[0] ?? "");
  const operations = operationsOf(patchText);
  const { bar, goal } = scenario;
  const row = { ...figures, bar, goal, operations: operations.length, bytes: patchText.length };
  const isFast = figures.ratio <= bar;
  if (pod === undefined || !pod.isMeasured) return { ...row, ok: isFast };
  const { object } = pod.case.request;
  const differences = compareObjects(pod.case.expect.pod, applied(object as JsonObject, patchText), object);
  const maxBytes = Math.floor(pod.patchBytes * PATCH_SLACK);
  return { ...row, maxBytes, differences, ok: isFast && row.bytes <= maxBytes && differences.length === 0 };
}

function writeFigures(report: BenchReport): void {
  writeFileSync(PAGE, withRows(readFileSync(PAGE, "utf8"), "bench", benchLines(report)));
}

function meanOf(figures: readonly number[]): number {
  return figures.reduce((sum, figure) => sum + figure, 0) / figures.length;
}

function print({ node, load, substitute, rows, guardrails, stages }: BenchReport): void {
  const place = substitute === undefined ? "" : ` in place of the deployed one: ${substitute}`;
  console.log(`Node ${node}${place}, load ${load.toFixed(1)}`);
  console.log(
    line(["", "us", "floor us", "ratio", "median", "bar", "guardrails", "operations", "bytes", "at most", ""]),
  );
  for (const row of rows) {
    const figures = [row.microseconds, row.floor, row.ratio].map((figure) => figure.toFixed(1));
    const verdict = row.ok ? "" : "MISSED";
    const guardrails = row.guardrails?.toFixed(3) ?? "-";
    console.log(
      line([
        row.name,
        ...figures,
        row.medianRatio?.toFixed(1) ?? "-",
        `<= ${row.bar}`,
        guardrails,
        row.operations,
        row.bytes,
        row.maxBytes ?? "-",
        verdict,
      ]),
    );
    for (const difference of row.differences ?? []) console.log(`  differs: ${difference}`);
  }
  const missed = guardrails <= GUARDRAILS_BAR ? "" : ", MISSED";
  console.log(`guardrails: ${guardrails.toFixed(3)} floors on average, at most ${GUARDRAILS_BAR}${missed}`);
  for (const [name, shares] of Object.entries(stages)) {
    const parts = Object.entries(shares).map(([stage, share]) => `${stage} ${Math.round(share * 100)} %`);
    console.log(`${name}: ${parts.join(", ")}`);
  }
}

function line([name, ...cells]: readonly [string, ...(string | number)[]]): string {
  return `${name.padEnd(26)}${cells.map((cell) => String(cell).padStart(11)).join("")}`;
}
