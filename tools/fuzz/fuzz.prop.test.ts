// Fuzzes everything that reads what another has written: some thousand inputs here, a million with `npm run fuzz`. A failure
// names its target and seed; `OUTRIGGER_FUZZ_RUNS=1000` is a quick look, `OUTRIGGER_FUZZ_SEED=5` begins at another seed.
import { readRelease } from "outrigger:bundled-release";
import { seededRandom } from "@outrigger/fake-aws";
import { beforeAll, describe, expect, it } from "vitest";
import { type Failure, type FuzzTarget, judge, runSeed, shareOut, TARGET_NAMES } from "./fuzz-target.ts";
import { knownFailures } from "./known-failures.ts";
import { fuzzTargets } from "./targets.ts";

const RUNS = Number(process.env["OUTRIGGER_FUZZ_RUNS"] ?? 2000);
const FIRST_SEED = Number(process.env["OUTRIGGER_FUZZ_SEED"] ?? 1);
/** The most failures that are shown: enough to see what fails. */
const MOST = 3;
const NAMES = ["parsers", "pods", "review-bytes", "events", "templates", "values", "stored-parameters"];

let all: readonly FuzzTarget[] = [];
let targets: readonly FuzzTarget[] = [];

beforeAll(async () => {
  all = await fuzzTargets(readRelease());
  targets = all.filter(({ share }) => share > 0);
});

describe("a fuzzed input", () => {
  it.each(NAMES)(
    "never crashes, hangs, gives a 500, touches a prototype, loses a container or is logged: %s",
    async (name) => {
      const [share] = shareOut(
        targets.filter((target) => target.name === name),
        RUNS,
      );
      const [target, runs] = share as NonNullable<typeof share>;
      const failures: Failure[] = [];
      for (let seed = FIRST_SEED; seed < FIRST_SEED + runs && failures.length < MOST; seed++) {
        const failure = await runSeed(target, seed);
        if (failure !== undefined) failures.push(failure);
      }
      expect(failures.map(({ seed, fault }) => `seed ${seed}: ${fault}`)).toEqual([]);
    },
  );

  it("comes from one of the targets above, and the same one from the same seed", () => {
    expect(targets.map(({ name }) => name).toSorted()).toEqual(NAMES.toSorted());
    for (const { make } of targets) expect(make(seededRandom(7), 7)).toEqual(make(seededRandom(7), 7));
    expect(targets.reduce((sum, { share }) => sum + share, 0)).toBe(100);
  });
});

describe("a target that is run by its name", () => {
  it("is one of the list", () => {
    expect(all.map(({ name }) => name).toSorted()).toEqual(TARGET_NAMES.toSorted());
  });
});

describe("an input that once failed", () => {
  it("does not fail again", async () => {
    const faults: string[] = [];
    for (const { target: name, seed, input } of knownFailures().filter(({ target }) => NAMES.includes(target))) {
      const fault = await judge(targets.find((one) => one.name === name) as FuzzTarget, input);
      if (fault !== undefined) faults.push(`${name} ${seed}: ${fault}`);
    }
    expect(faults).toEqual([]);
  });
});
