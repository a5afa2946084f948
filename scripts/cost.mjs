// `npm run cost`: what a deployment costs, as docs/cost.md says it; with --write, that page is written. With --clusters N
// and the other options, one month of a fleet of your own. The sums are in scripts/cost/.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { projectRoot } from "./bundled-release.mjs";
import { costPage } from "./cost/page.mjs";

const OPTIONS = ["clusters", "pods", "memory", "handler-ms", "load-ms", "calls-per-pod", "cold-share"];
const { values } = parseArgs({
  options: {
    write: { type: "boolean", default: false },
    ...Object.fromEntries(OPTIONS.map((name) => [name, { type: "string" }])),
  },
});

const [clusters, pods, memory, handler, load, calls, cold] = OPTIONS.map(numberOf);
const page = await costPage({
  assumed: given({ podsPerCluster: pods, memory, callsPerPod: calls, coldShare: cold }),
  measured: given({ handlerMilliseconds: handler, loadMilliseconds: load }),
  fleet: clusters,
});
if (values.write) writeFileSync(join(projectRoot, "docs/cost.md"), page);
else process.stdout.write(page);

function given(numbers) {
  return Object.fromEntries(Object.entries(numbers).filter(([, number]) => number !== undefined));
}

function numberOf(name) {
  const text = values[name];
  if (text === undefined) return undefined;
  const number = Number(text);
  if (text.trim() !== "" && Number.isFinite(number) && number >= 0) return number;
  console.error(`Cannot take ${JSON.stringify(text)} for --${name}: give a number that is not negative`);
  process.exit(2);
}
