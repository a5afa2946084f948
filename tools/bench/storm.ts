// `node --import tsx tools/bench/storm.ts --help` prints the options. Simulates a storm of cold starts, with the real store code before the
// fake Parameter Store and its bucket, on a virtual clock.
import { loadavg } from "node:os";
import { join } from "node:path";
import { compileRelease } from "@outrigger/injector";
import { readSourceTree } from "@outrigger/publisher";
import { projectRoot } from "../../scripts/build/bundled-release.ts";
import { toolOptions } from "../support/tool-options.ts";
import { emulatedStorm } from "./emulated-storm.ts";
import { fleetTable } from "./fleet-table.ts";
import { runStorm } from "./run-storm.ts";

const options = toolOptions({
  command: "node --import tsx tools/bench/storm.ts",
  says: [
    "Simulates a storm of cold starts, and prints who was served what and after how long; without --containers, the storms of",
    "docs/contributing/serving.md. Exits 1 where an answer is later than the webhook's timeout, or is the bundled release.",
  ].join("\n"),
  options: {
    containers: { type: "integer", least: 1, value: "N", says: "how many containers start" },
    rate: {
      type: "number",
      value: "N",
      default: 40,
      says: "calls a second that Parameter Store answers, with --containers",
    },
    reads: { type: "number", value: "N", default: 5500, says: "calls a second that the bucket answers" },
    spread: { type: "number", value: "MS", default: 1000, says: "milliseconds within which all start" },
    timeout: { type: "number", value: "MS", default: 10000, says: "the webhook's timeout in milliseconds" },
    "runtime-emulator": {
      type: "string",
      value: "FILE",
      says: "start processes in AWS's runtime interface emulator, which is this binary, instead of simulating",
    },
    "at-once": { type: "integer", least: 1, value: "N", default: 8, says: "how many of these run at a time" },
    fleet: { type: "boolean", says: "print the table of docs/contributing/scale.md instead" },
  },
  example: "node --import tsx tools/bench/storm.ts --containers 1000 --rate 40",
});
if (options.fleet) {
  console.log(fleetTable());
  process.exit();
}
const bundled = compileRelease([await readSourceTree(join(projectRoot, "templates"))]);

const storms: readonly (readonly [containers: number, rate: number])[] =
  options.containers === undefined
    ? [
        [2000, 40],
        [2000, 5],
        [2000, 0],
        // No machine starts so many processes.
        ...(options["runtime-emulator"] === undefined ? ([[10_000, 40]] as const) : []),
      ]
    : [[options.containers, options.rate]];
const timeout = options.timeout;
const emulator = options["runtime-emulator"];
if (emulator !== undefined) {
  await stormOfProcesses(emulator);
  process.exit();
}
console.log(`All started within ${options.spread} ms, webhook timeout ${timeout} ms, virtual clock`);
for (const [containers, rate] of storms) {
  const spread = options.spread;
  const reads = options.reads;
  const { report, isLate } = await runStorm({ containers, rate, reads, spread, timeout, bundled });
  const served = Object.entries(report.served).map(([what, number]) => `${number} ${what}`);
  console.log(`\n${containers} containers, ${rate} calls a second: ${served.join(", ")}`);
  console.log(`  longest wait ${Math.round(report.longest)} ms, median ${Math.round(report.median)} ms`);
  if (report.earliestBundled !== undefined) {
    console.log(`  first served the bundled release after ${Math.round(report.earliestBundled)} ms`);
  }
  console.log(
    `  ${report.calls} calls of Parameter Store, ${report.throttled} of them throttled, and ${report.objectCalls} of the bucket; all had the release after ${Math.round(report.allCurrent / 1000)} s`,
  );
  if (isLate || report.earliestBundled !== undefined) process.exitCode = 1;
}

/** How long a process waits says something on a machine with nothing else to do: it does not decide how this ends. */
async function stormOfProcesses(emulator: string): Promise<void> {
  const { reads, spread } = options;
  const atOnce = options["at-once"];
  const [load = 0] = loadavg();
  console.log(
    `All started within ${spread} ms of the storm, ${atOnce} at a time, webhook timeout ${timeout} ms, load ${load.toFixed(1)} when it began`,
  );
  for (const [containers, rate] of storms) {
    const limits = { rate, reads: Number(reads), spread: Number(spread) };
    const storm = await emulatedStorm({ emulator, containers, atOnce, timeout, bundled, ...limits });
    const answers = Object.entries(storm.answers).map(([what, number]) => `${number} ${what}`);
    console.log(`\n${containers} processes, ${rate} calls a second: ${answers.join(", ")}`);
    console.log(
      `  longest wait ${Math.round(storm.longest)} ms, median ${Math.round(storm.median)} ms, ${storm.late} later than the timeout`,
    );
    console.log(
      `  ${storm.calls} calls of Parameter Store, ${storm.throttled} of them throttled, and ${storm.objectCalls} of the bucket`,
    );
    const expected = rate + limits.reads > 0 ? "published" : "status 500";
    if (storm.answers[expected] !== containers) process.exitCode = 1;
  }
}
