// `npm run fuzz -- --help` prints the options. The inputs are tried in processes of their own, so that one that hangs can be ended and
// named. Failures go to tools/fuzz/known-failures.json, which `npm test` judges again. Exits 1 if there are any.
import { fork } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { projectRoot } from "../../scripts/build/bundled-release.ts";
import { toolOptions } from "../support/tool-options.ts";
import { type Failure, TARGET_NAMES } from "./fuzz-target.ts";
import type { Progress } from "./fuzz-worker.ts";
import { keepFailures } from "./known-failures.ts";

const options = toolOptions({
  command: "npm run fuzz --",
  says: "Tries damaged inputs until the runs or the seconds are over, and keeps those that fail.",
  options: {
    runs: { type: "integer", value: "N", default: 1000000, says: "how many inputs" },
    seed: { type: "integer", value: "N", default: 1, says: "the first input" },
    target: {
      type: "string",
      oneOf: TARGET_NAMES,
      value: "NAME",
      says: `one target, otherwise those that run by default: ${TARGET_NAMES.join(", ")}`,
    },
    workers: { type: "integer", least: 1, value: "N", default: availableParallelism(), says: "processes at once" },
    seconds: { type: "number", value: "N", says: "begin nothing after this time; otherwise no limit" },
    resume: {
      type: "boolean",
      says: "continue where the target's last run ended (.runtime/fuzz-seeds.json)",
    },
  },
  example: "npm run fuzz -- --target pods --seconds 200 --resume",
});
const { runs, workers } = options;
/** Milliseconds that a worker may be silent: enough for a starved machine. Slow inputs are found by processor time. */
const PATIENCE = 15 * 60_000;
/** Inputs after which the seed is noted, for each worker: what an interrupted run loses at most. */
const PIECE = 20_000;
const SEEDS = join(projectRoot, ".runtime/fuzz-seeds.json");
const NAME = options.target ?? "all";

const started = performance.now();
const first = options.resume ? (seedsSoFar()[NAME] ?? options.seed) : options.seed;
const failures: Failure[] = [];
const counts = new Map<string, number>();
let next = first;
while (next < first + runs && seconds() < (options.seconds ?? Number.POSITIVE_INFINITY)) {
  const share = Math.min(PIECE, Math.ceil((first + runs - next) / workers));
  const from = next;
  const results = await Promise.all(
    Array.from({ length: workers }, (_, index) => runWorker(from + index * share, share)),
  );
  const found = results.flatMap((result) => result.failures);
  if (found.length > 0) keepFailures(found);
  failures.push(...found);
  for (const { done } of results) {
    for (const [name, count] of Object.entries(done)) counts.set(name, (counts.get(name) ?? 0) + count);
  }
  next += workers * share;
  noteSeed(next);
}
const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
console.log(
  `${total} inputs in ${Math.round(seconds())} s, ${failures.length} failures, seeds ${first} to ${next - 1} of ${NAME}`,
);
for (const [name, count] of counts) console.log(`  ${name}: ${count}`);
for (const { target, seed, fault } of failures) console.log(`${target} seed ${seed}: ${fault.slice(0, 1000)}`);
if (failures.length > 0) {
  console.log("Their inputs are in tools/fuzz/known-failures.json: npm test judges them again");
  process.exitCode = 1;
}

function seconds(): number {
  return (performance.now() - started) / 1000;
}

/** Returns the first seed that no run has tried, by target or for `all`. */
function seedsSoFar(): Readonly<Record<string, number>> {
  return existsSync(SEEDS) ? JSON.parse(readFileSync(SEEDS, "utf8")) : {};
}

function noteSeed(seed: number): void {
  mkdirSync(join(projectRoot, ".runtime"), { recursive: true });
  writeFileSync(SEEDS, `${JSON.stringify({ ...seedsSoFar(), [NAME]: seed })}\n`);
}

interface Result {
  readonly done: Readonly<Record<string, number>>;
  readonly failures: readonly Failure[];
}

/** Runs a share of the seeds. A worker that hangs or crashes fails the seed that it was at. */
function runWorker(first: number, count: number): Promise<Result> {
  const failures: Failure[] = [];
  const done: Record<string, number> = {};
  let at = { target: "none", seed: first };
  const args = [String(first), String(count), ...(options.target === undefined ? [] : [options.target])];
  const worker = fork(join(projectRoot, "tools/fuzz/fuzz-worker.ts"), args, { execArgv: ["--import", "tsx"] });
  return new Promise((resolve) => {
    let isOver = false;
    const end = (fault?: string) => {
      // A worker that is done exits too.
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      worker.kill("SIGKILL");
      if (fault !== undefined) failures.push({ ...at, fault, input: null });
      resolve({ done, failures });
    };
    const isSilent = () => end(`it hangs: there was no answer for ${PATIENCE / 1000} s`);
    let timer = setTimeout(isSilent, PATIENCE);
    worker.on("message", (message: Progress) => {
      clearTimeout(timer);
      timer = setTimeout(isSilent, PATIENCE);
      at = message.at;
      done[at.target] = message.done;
      if (message.failure !== undefined) failures.push(message.failure);
      if (message.isLast) end();
    });
    worker.on("exit", () => end("the process ended"));
  });
}
