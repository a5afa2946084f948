// Runs a share of the fuzzer's seeds in a process of its own, and says where it is. Arguments: first seed, number of
// inputs, and a target if not all are wanted.
import { join } from "node:path";
import { compileRelease } from "@outrigger/injector";
import { readSourceTree } from "@outrigger/publisher";
import { projectRoot } from "../../scripts/build/bundled-release.ts";
import { ACCEPTED_PODS, acceptedTarget } from "./accepted-target.ts";
import { type Failure, runSeed, shareOut } from "./fuzz-target.ts";
import { fuzzTargets } from "./targets.ts";

export interface Progress {
  readonly at: { readonly target: string; readonly seed: number };
  /** Inputs of this target so far. */
  readonly done: number;
  readonly failure?: Failure;
  readonly isLast?: boolean;
}

/** The failures of each target that are kept: more of them would say the same. */
const MOST_FAILURES = 20;
/** Inputs between two messages. A hang is then run again by the seeds that follow the last one. */
const PACE = 100;

const [, , first = "1", count = "1000", wanted] = process.argv;
const say = (progress: Progress) => new Promise<void>((resolve) => void process.send?.(progress, () => resolve()));
const shipped = async () => compileRelease([await readSourceTree(join(projectRoot, "templates"))]);
// It compiles trees of its own.
const all = wanted === ACCEPTED_PODS ? [await acceptedTarget()] : await fuzzTargets(await shipped());
const targets =
  wanted === undefined ? all : all.flatMap((target) => (target.name === wanted ? { ...target, share: 100 } : []));
for (const [target, runs] of shareOut(targets, Number(count))) {
  let failed = 0;
  for (let done = 0; done < runs && failed < MOST_FAILURES; done++) {
    const at = { target: target.name, seed: Number(first) + done };
    if (done % PACE === 0) await say({ at, done });
    const failure = await runSeed(target, at.seed);
    if (failure === undefined) continue;
    failed += 1;
    await say({ at, done, failure });
  }
  await say({ at: { target: target.name, seed: Number(first) + runs }, done: runs });
}
await say({ at: { target: "none", seed: 0 }, done: 0, isLast: true });
