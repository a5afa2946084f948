// A process of a function, from its start to its first answer: loads the bundle as Lambda's runtime does, hands it one
// event, and prints what time it was since the process started, and what the processor had worked by then, in
// milliseconds. Arguments: bundle, event as JSON or nothing.
// It is bundled before it runs: no loader may be part of what is measured.
import { createRequire } from "node:module";
import { CLIENT_MODULES } from "./lambda-node.ts";

type Handler = (event: unknown) => Promise<{ readonly statusCode?: number }>;

export interface ChildReport {
  readonly loaded: Reading;
  readonly answered: Reading;
  readonly status?: number | undefined;
}

/** Milliseconds since the process started. */
export interface Reading {
  readonly elapsed: number;
  readonly processor: number;
}

const require = createRequire(import.meta.url);
for (const name of CLIENT_MODULES) require(`node:${name}`);

const [, , file = "", event] = process.argv;
// The runtime client is an ES module, and imports functions in either format.
const { handler }: { readonly handler: Handler } = await import(file);
const loaded = reading();
if (event === undefined) report(loaded);
else void handler(JSON.parse(event)).then((result) => report(reading(), result.statusCode));

function reading(): Reading {
  const { user, system } = process.cpuUsage();
  return { elapsed: performance.now(), processor: (user + system) / 1000 };
}

function report(answered: Reading, status?: number): void {
  const figures: ChildReport = { loaded, answered, status };
  console.error(JSON.stringify(figures));
  process.exit(0);
}
