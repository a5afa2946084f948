// `npm run cost`: what a deployment costs, as docs/cost.md says it; with --write, that page is written. With --clusters N
// and the other options, one month of a fleet of your own. The sums are in scripts/cost/.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { defined } from "@outrigger/base";
import { projectRoot } from "./build/bundled-release.ts";
import { costPage } from "./cost/page.ts";

const { values } = parseArgs({
  options: {
    write: { type: "boolean", default: false },
    clusters: { type: "string" },
    pods: { type: "string" },
    memory: { type: "string" },
    "handler-ms": { type: "string" },
    "load-ms": { type: "string" },
    "calls-per-pod": { type: "string" },
    "cold-share": { type: "string" },
  },
});

const page = costPage({
  assumed: defined({
    podsPerCluster: numberOf("pods"),
    memory: numberOf("memory"),
    callsPerPod: numberOf("calls-per-pod"),
    coldShare: numberOf("cold-share"),
  }),
  measured: defined({ handlerMilliseconds: numberOf("handler-ms"), loadMilliseconds: numberOf("load-ms") }),
  fleet: numberOf("clusters"),
});
if (values.write) writeFileSync(join(projectRoot, "docs/cost.md"), page);
else process.stdout.write(page);

function numberOf(name: Exclude<keyof typeof values, "write">): number | undefined {
  const text = values[name];
  if (text === undefined) return undefined;
  const number = Number(text);
  if (text.trim() !== "" && Number.isFinite(number) && number >= 0) return number;
  console.error(`Cannot take ${JSON.stringify(text)} for --${name}: give a number that is not negative`);
  process.exit(2);
}
