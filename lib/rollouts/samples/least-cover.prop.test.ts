import fc from "fast-check";
import { expect, it } from "vitest";
import { randomOf } from "../../../test/support/random.ts";
import { leastCover } from "./least-cover.ts";

const union = (sets: readonly bigint[]) => sets.reduce((all, set) => all | set, 0n);

/** The least number of sets, by trying all selections of each size. */
function leastNumber(sets: readonly bigint[], needed: bigint): number {
  const all = union(sets) & needed;
  for (let most = 0; ; most++) if (reaches(0, 0n, most)) return most;

  function reaches(from: number, covered: bigint, left: number): boolean {
    if ((all & ~covered) === 0n) return true;
    if (left === 0) return false;
    for (let at = from; at < sets.length; at++) if (reaches(at + 1, covered | (sets[at] ?? 0n), left - 1)) return true;
    return false;
  }
}

const sets = fc.array(fc.bigInt({ min: 0n, max: 2n ** 14n - 1n }), { maxLength: 12 });
/** Sets with few elements, of which many are needed. */
const smallSets = fc.array(
  fc.array(fc.nat({ max: 13 }), { maxLength: 4 }).map((bits) => union(bits.map((bit) => 1n << BigInt(bit)))),
  { maxLength: 13 },
);

it("leastCover() covers all that the sets have, with the least number of them", () => {
  fc.assert(
    fc.property(fc.oneof(sets, smallSets), fc.bigInt({ min: 0n, max: 2n ** 14n - 1n }), (given, needed) => {
      const chosen = leastCover(given, needed).map((index) => given[index] ?? 0n);
      expect(union(chosen) & needed).toBe(union(given) & needed);
      expect(chosen.length).toBe(leastNumber(given, needed));
    }),
    { numRuns: 400 },
  );
});

it("leastCover() ends for sets whose least number is hard to find, and is no worse than taking the largest each time", () => {
  const random = randomOf(7);
  const triple = () => union([0, 1, 2].map(() => 1n << BigInt(Math.floor(random() * 60))));
  const hard = Array.from({ length: 150 }, triple);
  const begun = performance.now();
  const chosen = leastCover(hard, 2n ** 60n - 1n);
  expect(union(chosen.map((index) => hard[index] ?? 0n))).toBe(union(hard));
  expect(chosen.length).toBeLessThanOrEqual(greedyNumber(hard));
  expect(performance.now() - begun).toBeLessThan(20_000);
});

function greedyNumber(sets: readonly bigint[]): number {
  const size = (set: bigint) => set.toString(2).replaceAll("0", "").length;
  let left = union(sets);
  for (let number = 0; ; number++) {
    if (left === 0n) return number;
    left &= ~sets.reduce((most, set) => (size(set & left) > size(most & left) ? set : most));
  }
}
