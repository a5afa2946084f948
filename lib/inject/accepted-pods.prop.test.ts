// Pods that an API server accepts, through generated trees that publish: what comes out is accepted too, or denied for a
// field of its author's. 20,000 of them in `.ci/run`, and a million by `npm run fuzz -- --target accepted-pods --resume`.
import { beforeAll, describe, expect, it } from "vitest";
import { acceptedTarget } from "../../test/fuzz/accepted-target.ts";
import { type FuzzTarget, judge, runSeed } from "../../test/fuzz/fuzz-target.ts";
import { knownFailures } from "../../test/fuzz/known-failures.ts";

const RUNS = Number(process.env["OUTRIGGER_ACCEPTED_RUNS"] ?? 2500);
const FIRST_SEED = Number(process.env["OUTRIGGER_ACCEPTED_SEED"] ?? 1);
/** Enough to see what fails. */
const MOST = 12;

let target: FuzzTarget;

beforeAll(async () => {
  target = await acceptedTarget();
}, 60_000);

describe("a pod that an API server accepts", () => {
  it("is accepted when it is injected, or denied for a field of its author's, and a second injection is empty", async () => {
    const faults: string[] = [];
    for (let seed = FIRST_SEED; seed < FIRST_SEED + RUNS && faults.length < MOST; seed++) {
      const failure = await runSeed(target, seed);
      if (failure !== undefined) faults.push(`seed ${seed}: ${failure.fault}`);
    }
    expect(faults).toEqual([]);
  });

  it("does not fail again where it once failed", async () => {
    const known = knownFailures().filter((failure) => failure.target === target.name);
    const faults = await Promise.all(known.map(({ input }) => judge(target, input)));
    expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
  });
});
