// `npm run cold-start [-- --runs N]`: what the function's bundle costs until its handler is loaded, as CommonJS and as
// an ES module, on the deployed Node. Each run is a process of its own; its time is from the import to the handler, so
// that the start of Node itself, the same for both, is left out. Prints medians; the choice stands in
// docs/adr/0003-bundle-format.md.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildFunction } from "./build-bundles.mjs";
import { projectRoot } from "./bundled-release.mjs";
import { deployedNode } from "./node24.mjs";

const { values: options } = parseArgs({ options: { runs: { type: "string", default: "31" } } });
const { path, version, reason } = deployedNode();
const variants = [];
for (const format of ["cjs", "esm"]) variants.push({ format, ...(await build(format)), times: [], cpuTimes: [] });

for (let run = 0; run < Number(options.runs); run += 1) {
  for (const { format, file, times, cpuTimes } of variants) {
    const [time, cpuTime] = JSON.parse(execFileSync(path, ["-e", loadScript(format), file], { encoding: "utf8" }));
    times.push(time);
    cpuTimes.push(cpuTime);
  }
}

console.log(
  `Node ${version}${reason === undefined ? "" : ` in place of the deployed one: ${reason}`}, ${options.runs} runs`,
);
for (const { format, bytes, times, cpuTimes } of variants) {
  const figures = [`${summary(times)} elapsed`, `${summary(cpuTimes)} of processor`];
  console.log(`${format}  ${(bytes / 1024).toFixed(1)} KB  ${figures.join("  ")}`);
}

async function build(format) {
  const extension = format === "cjs" ? "cjs" : "mjs";
  const [{ file, bytes }] = await buildFunction("inject", {
    format,
    outfile: `dist/cold-start/${format}/index.${extension}`,
  });
  return { file: join(projectRoot, file), bytes };
}

/** Lambda's runtime requires a `.cjs` file and imports an `.mjs` file. */
function loadScript(format) {
  const load = format === "cjs" ? "require(file)" : 'await import(require("node:url").pathToFileURL(file).href)';
  return `(async (file) => {
    const started = performance.now(), used = process.cpuUsage();
    const { handler } = ${load};
    const { user, system } = process.cpuUsage(used);
    const elapsed = performance.now() - started;
    if (typeof handler !== "function") throw new Error("no handler");
    console.log(JSON.stringify([elapsed, (user + system) / 1000]));
  })(process.argv[1]);`;
}

/** On a busy machine the best run says more than the median. */
function summary(times) {
  return `${median(times).toFixed(1)} ms (${Math.min(...times).toFixed(1)} at best)`;
}

function median(numbers) {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
}
