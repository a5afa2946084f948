// `npm run cold-start [-- --runs N --latency MS]`: what a cold start costs on the deployed Node, each run a process of its
// own: from the start of the process to the first answer of functions/inject, with its release from a Parameter Store
// (the fake, on loopback) that takes 10 ms a call, beside an empty function measured the same way. The difference is
// ours. For the other functions, what loading them takes. Prints medians; docs/serving.md says what they are made of.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { buildFunctions } from "./build-bundles.mjs";
import { bundledReleasePlugin, importTypeScript, projectRoot } from "./bundled-release.mjs";
import { deployedNode } from "./node24.mjs";

const { values: options } = parseArgs({
  options: { runs: { type: "string", default: "31" }, latency: { type: "string", default: "10" } },
});
const { path: node, version, reason } = deployedNode();
const child = join(projectRoot, "scripts/cold-start/child.cjs");
const sample = join(projectRoot, "templates/samples/deployment-pod.yaml");
const functions = join(projectRoot, "dist/functions");

await buildFunctions();
const { startStore } = await importTypeScript("scripts/support/cold-start-store.ts", {
  plugins: [bundledReleasePlugin()],
});
const store = await startStore(Number(options.latency), readFileSync(sample, "utf8"));
const variants = [
  { name: "an empty function", file: emptyFunction(), event: store.event, env: {} },
  { name: "inject, release of the artifact", file: bundleOf("inject"), event: store.openEvent, env: {} },
  { name: "inject, release from the store", file: bundleOf("inject"), event: store.event, env: store.env },
  { name: "the same, a pod of a new shape", file: bundleOf("inject"), event: store.unusualEvent, env: store.env },
  ...otherFunctions().map((name) => ({ name: `${name}, loaded`, file: bundleOf(name), env: store.env })),
].map((variant) => ({ ...variant, runs: [] }));

for (let run = 0; run < Number(options.runs); run += 1) {
  for (const variant of variants) variant.runs.push(await measure(variant));
}
await store.close();

const place = reason === undefined ? "" : ` in place of the deployed one: ${reason}`;
console.log(`Node ${version}${place}, ${options.runs} runs, ${options.latency} ms a call of the store`);
console.log("Milliseconds over the empty function, medians (best): loaded, then answered");
const [{ runs: empty }] = variants;
for (const { name, file, runs, event } of variants) {
  const figures = ["elapsed", "processor"].map((what) => {
    const loaded = over(runs, "loaded", what);
    return `${what} ${event === undefined ? loaded : `${loaded} ${over(runs, "answered", what)}`}`;
  });
  console.log(`${name.padEnd(32)} ${(statSync(file).size / 1024).toFixed(1).padStart(6)} KB  ${figures.join("  ")}`);
}

/** The best is that of the best runs, not of one run: on a busy machine it says more than the median. */
function over(runs, moment, what) {
  const times = runs.map((run) => run[moment][what]);
  const base = empty.map((run) => run[moment][what]);
  const best = Math.min(...times) - Math.min(...base);
  return `${(median(times) - median(base)).toFixed(1)} (${best.toFixed(1)})`;
}

async function measure({ name, file, event, env }) {
  const args = [child, file, ...(event === undefined ? [] : [JSON.stringify(event)])];
  const { stderr } = await promisify(execFile)(node, args, { env: { PATH: process.env.PATH, ...env } });
  const figures = JSON.parse(stderr.trim().split("\n").at(-1));
  if (event !== undefined && figures.status !== 200) throw new Error(`${name} answered ${figures.status}`);
  return figures;
}

function emptyFunction() {
  const directory = join(projectRoot, "dist/cold-start");
  mkdirSync(directory, { recursive: true });
  const file = join(directory, "empty.cjs");
  writeFileSync(file, "exports.handler = async () => ({ statusCode: 200 });\n");
  return file;
}

function bundleOf(name) {
  return join(functions, name, "index.cjs");
}

function otherFunctions() {
  return readdirSync(functions).filter((name) => name !== "inject" && existsSync(bundleOf(name)));
}

function median(numbers) {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
}
