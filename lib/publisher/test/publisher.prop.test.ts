import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runInterleaving } from "../../../test/support/publisher-model.ts";
import { MUTANTS } from "../../../test/support/publisher-mutants.ts";

/**
 * Interleavings that have failed before: an empty tree was read, another publisher served a later tree, and the first
 * decided again on the empty one; two publishers wrote the same release, and one of them was refused.
 */
const FAILED_BEFORE: readonly [seed: number][] = [[601753697], [164], [1104]];

/** Interleavings in which a mutant must have been caught. */
const CAUGHT_WITHIN = 1500;
/** Those of them that catch one as the code is now are tried first: a search for them takes longer than the property. */
const CATCHING = [9, 12, 28, 160, 626, 731];
/** As many as catch any of the mutants. */
const numRuns = 10 * Number(process.env["OUTRIGGER_PROPERTY_RUNS"] ?? CAUGHT_WITHIN / 10);

describe("runPublisher()", () => {
  // Errors are thrown by the ten thousand and nobody reads where.
  const { stackTraceLimit } = Error;
  beforeAll(() => {
    Error.stackTraceLimit = 0;
  });
  afterAll(() => {
    Error.stackTraceLimit = stackTraceLimit;
  });

  it("never lets a reader find half of anything, or an older commit, in any interleaving of calls", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0 }), (seed) => runInterleaving(seed)),
      { numRuns, endOnFailure: true, examples: [...FAILED_BEFORE] },
    );
  }, 900_000);

  it.each(Object.entries(MUTANTS))(
    "would not keep that promise if %s",
    async (_what, mutant) => {
      expect(await firstBroken(mutant)).toBeDefined();
    },
    900_000,
  );
});

async function firstBroken(mutant: (typeof MUTANTS)[string]): Promise<string | undefined> {
  for (const seed of [...CATCHING, ...Array(CAUGHT_WITHIN).keys()]) {
    try {
      await runInterleaving(seed, mutant);
    } catch (error) {
      return (error as Error).message;
    }
  }
  return undefined;
}
