// `npm run bench [-- PODS.jsonl] [--json] [--check] [--rounds N] [--iterations N]`: the bundled handler on the deployed
// Node against the JSON floor, in one run. Prints microseconds, ratio to the floor, operations and bytes of the patch,
// and where the time goes. Bars are printed beside; with --check, missing one is a failure.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs, promisify } from "node:util";
import { scenariosOf } from "./bench/scenarios.mjs";
import { buildFunction } from "./build-bundles.mjs";
import { importTypeScript, projectRoot } from "./bundled-release.mjs";
import { deployedNode } from "./node24.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
    rounds: { type: "string", default: "11" },
    iterations: { type: "string", default: "1000" },
  },
});
const file = resolve(positionals[0] ?? process.env.OUTRIGGER_BENCH ?? "../shared/bench/pods.jsonl");

/** A patch may be this much longer than a minimal one. */
const PATCH_SLACK = 1.1;

if (existsSync(file)) {
  process.exitCode = await run();
} else {
  console.error(`Cannot read ${file}: name a file of pods, one JSON object a line, or set OUTRIGGER_BENCH`);
  process.exitCode = 2;
}

async function run() {
  const pods = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const sources = await importTypeScript("test/support/conformance-doors.ts");
  const scenarios = scenariosOf(pods);
  const node = deployedNode();
  const measured = await measure(node, await jobOf(pods, scenarios, sources));
  const compare = await findCompare();
  const rows = measured.results.map((result, index) => judge(result, scenarios[index], sources, compare));
  const report = {
    node: measured.node,
    substitute: node.reason,
    compared: compare !== undefined,
    rows,
    stages: measured.stages,
  };
  if (options.json) console.log(JSON.stringify(report, null, 1));
  else print(report);
  return options.check && !rows.every((row) => row.ok) ? 1 : 0;
}

async function jobOf(pods, scenarios, { eventOf, releaseOfCase }) {
  const { readSourceTree } = await importTypeScript("lib/source/source-directory.ts");
  const shipped = await readSourceTree(join(projectRoot, "templates"));
  const [bundle] = await buildFunction("inject");
  const [readableBundle] = await buildFunction("inject", { minify: false, outfile: "dist/bench/inject.cjs" });
  return {
    bundle: join(projectRoot, bundle.file),
    readableBundle: join(projectRoot, readableBundle.file),
    release: releaseOfCase(shipped, pods[0]),
    rounds: Number(options.rounds),
    iterations: Number(options.iterations),
    warmUp: 3 * Number(options.iterations),
    scenarios: scenarios.map(({ name, fresh = false, pods: calls }) => ({
      name,
      fresh,
      events: calls.map(({ request }) => JSON.stringify(eventOf(request))),
      patchBytes: calls.map(({ patchBytes }) => patchBytes),
    })),
  };
}

async function measure(node, job) {
  const jobFile = join(projectRoot, "dist/bench/job.json");
  mkdirSync(dirname(jobFile), { recursive: true });
  writeFileSync(jobFile, JSON.stringify(job));
  const worker = join(projectRoot, "scripts/bench/worker.mjs");
  const { stdout } = await promisify(execFile)(node.path, [worker, jobFile], { maxBuffer: 1 << 28 });
  return JSON.parse(stdout);
}

/** The comparison of the conformance corpus, where it is at hand. */
async function findCompare() {
  const directory = resolve(process.env.OUTRIGGER_CONFORMANCE ?? join(projectRoot, "../shared/conformance"));
  const compare = join(directory, "compare.mjs");
  return existsSync(compare) ? (await import(pathToFileURL(compare).href)).differences : undefined;
}

function judge({ name, microseconds, floor, ratio, answers }, { bar, goal, pods }, { patchTextOf, applied }, compare) {
  const patchTexts = answers.map(patchTextOf);
  const patch = JSON.parse(patchTexts[0]);
  const row = { name, microseconds, floor, ratio, bar, goal, operations: patch.length, bytes: patchTexts[0].length };
  const [pod] = pods;
  if (pod.expect === undefined) return { ...row, ok: ratio <= bar };
  const differences = compare?.(pod.expect.pod, applied(pod.request.object, patchTexts[0]), pod.request.object) ?? [];
  const maxBytes = Math.floor(pod.patchBytes * PATCH_SLACK);
  return { ...row, maxBytes, differences, ok: ratio <= bar && row.bytes <= maxBytes && differences.length === 0 };
}

function print({ node, substitute, compared, rows, stages }) {
  console.log(`Node ${node}${substitute === undefined ? "" : ` in place of the deployed one: ${substitute}`}`);
  if (!compared)
    console.log("The conformance data are not there: answers are not compared (set OUTRIGGER_CONFORMANCE)");
  console.log(line(["", "us", "floor us", "ratio", "bar", "operations", "bytes", "at most", ""]));
  for (const row of rows) {
    const figures = [row.microseconds, row.floor, row.ratio].map((figure) => figure.toFixed(1));
    const verdict = row.ok ? "" : "MISSED";
    console.log(line([row.name, ...figures, `<= ${row.bar}`, row.operations, row.bytes, row.maxBytes ?? "-", verdict]));
    for (const difference of row.differences ?? []) console.log(`  differs: ${difference}`);
  }
  for (const [name, shares] of Object.entries(stages)) {
    const parts = Object.entries(shares).map(([stage, share]) => `${stage} ${Math.round(share * 100)} %`);
    console.log(`${name}: ${parts.join(", ")}`);
  }
}

function line([name, ...cells]) {
  return `${name.padEnd(26)}${cells.map((cell) => String(cell).padStart(11)).join("")}`;
}
