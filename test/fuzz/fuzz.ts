// `npm run fuzz [-- --runs N --seed N --target NAME --workers N]`: a million inputs, in processes of their own, so that one
// that hangs can be ended and named. Failures go to test/fuzz/known-failures.json, which `npm test` judges again. Exits 1
// if there are any.
import { fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { projectRoot } from "../../scripts/bundled-release.ts";
import type { Failure } from "./fuzz-target.ts";
import type { Progress } from "./fuzz-worker.ts";
import { keepFailures } from "./known-failures.ts";

const { values: options } = parseArgs({
  options: {
    runs: { type: "string", default: "1000000" },
    seed: { type: "string", default: "1" },
    target: { type: "string" },
    workers: { type: "string", default: String(availableParallelism()) },
  },
});
const runs = Number(options.runs);
const workers = Math.max(1, Number(options.workers));
/** Milliseconds that a worker may be silent. */
const PATIENCE = 60_000;
const started = performance.now();
const share = Math.ceil(runs / workers);
const results = await Promise.all(
  Array.from({ length: workers }, (_, index) => runWorker(Number(options.seed) + index * share, share)),
);
const failures = results.flatMap(({ failures: found }) => found);
const counts = new Map<string, number>();
for (const { done } of results) {
  for (const [name, count] of Object.entries(done)) counts.set(name, (counts.get(name) ?? 0) + count);
}
const seconds = (performance.now() - started) / 1000;
const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
console.log(`${total} inputs in ${Math.round(seconds)} s, ${failures.length} failures, first seed ${options.seed}`);
for (const [name, count] of counts) console.log(`  ${name}: ${count}`);
for (const { target, seed, fault } of failures) console.log(`${target} seed ${seed}: ${fault.slice(0, 1000)}`);
if (failures.length > 0) {
  keepFailures(failures);
  console.log("Their inputs are in test/fuzz/known-failures.json: npm test judges them again");
  process.exitCode = 1;
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
  const worker = fork(join(projectRoot, "test/fuzz/fuzz-worker.ts"), args, { execArgv: ["--import", "tsx"] });
  return new Promise((resolve) => {
    const end = (fault?: string) => {
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
