// `node --import tsx tools/bench/storm.ts [--containers N --rate N]`, `node --import tsx tools/bench/storm.ts --fleet`: the table of docs/contributing/scale.md, or a storm of cold starts, simulated with the real store code before the
// fake Parameter Store, on a virtual clock. Prints who was served what, and how long it took; without options, the
// storms of docs/contributing/serving.md. Exits 1 where a request is later than the webhook's timeout, or was given the bundled
// release too early.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compileRelease } from "@outrigger/injector";
import { readSourceTree } from "@outrigger/publisher";
import { projectRoot } from "../../scripts/build/bundled-release.ts";
import { fleetTable } from "./fleet-table.ts";
import { runStorm } from "./run-storm.ts";

const { values: options } = parseArgs({
  options: {
    containers: { type: "string" },
    fleet: { type: "boolean", default: false },
    rate: { type: "string", default: "40" },
    spread: { type: "string", default: "1000" },
    timeout: { type: "string", default: "10000" },
  },
});
if (options.fleet) {
  console.log(fleetTable());
  process.exit();
}
const bundled = compileRelease([await readSourceTree(join(projectRoot, "templates"))]);

const storms: readonly (readonly [containers: number, rate: number])[] =
  options.containers === undefined
    ? [
        [200, 40],
        [1000, 40],
        [10_000, 1500],
      ]
    : [[Number(options.containers), Number(options.rate)]];
const timeout = Number(options.timeout);
console.log(`All started within ${options.spread} ms, webhook timeout ${timeout} ms, virtual clock`);
for (const [containers, rate] of storms) {
  const spread = Number(options.spread);
  const { report, isLate, isEarly } = await runStorm({ containers, rate, spread, timeout, bundled });
  const served = Object.entries(report.served).map(([what, number]) => `${number} ${what}`);
  console.log(`\n${containers} containers, ${rate} calls a second: ${served.join(", ")}`);
  console.log(`  longest wait ${Math.round(report.longest)} ms, median ${Math.round(report.median)} ms`);
  if (report.earliestBundled !== undefined) {
    console.log(`  first served the bundled release after ${Math.round(report.earliestBundled)} ms`);
  }
  console.log(
    `  ${report.calls} calls, ${report.throttled} of them throttled; all had the release after ${Math.round(report.allCurrent / 1000)} s`,
  );
  if (isLate || isEarly) process.exitCode = 1;
}
