// The property about pods that an API server accepts, through generated trees that publish: what comes out is accepted too, or
// the fault names who wrote the wrong value. Four files of tests have a share each, so that all processors work on it. A million by
// `npm run fuzz -- --target accepted-pods --resume`.

import { once } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { acceptedTarget } from "./accepted-target.ts";
import { judge, runSeed } from "./fuzz-target.ts";
import { knownFailures } from "./known-failures.ts";

const SHARES = 4;
const RUNS = Number(process.env["OUTRIGGER_ACCEPTED_RUNS"] ?? 300);
const FIRST_SEED = Number(process.env["OUTRIGGER_ACCEPTED_SEED"] ?? 1);
/** The most faults that are reported: enough to see what fails. */
const MOST = 12;

/** The target. It is shared by files that run in the same process, and so are the compiled trees. */
const targetOf = once(acceptedTarget);

/** @param share from 1 to 4; the first also judges what once failed */
export function describeAcceptedPods(share: number): void {
  describe(`a pod that an API server accepts, share ${share} of ${SHARES}`, () => {
    it("is accepted when it is injected, or fails and names who wrote the wrong value, and a second injection is empty", async () => {
      const target = await targetOf();
      const faults: string[] = [];
      for (let run = share - 1; run < RUNS && faults.length < MOST; run += SHARES) {
        const seed = FIRST_SEED + run;
        const failure = await runSeed(target, seed);
        if (failure !== undefined) faults.push(`seed ${seed}: ${failure.fault}`);
      }
      expect(faults).toEqual([]);
    });

    if (share !== 1) return;
    it("does not fail again where it once failed", async () => {
      const target = await targetOf();
      const known = knownFailures().filter((failure) => failure.target === target.name);
      const faults = await Promise.all(known.map(({ input }) => judge(target, input)));
      expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
    });
  });
}
