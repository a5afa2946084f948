// As few sets as contain everything that any of them contains: which pods are enough as samples. Pure.

/**
 * Returns the indexes of as few sets as together contain each needed element that any of them contains, in their order. Of equally
 * small answers, the one with earlier sets. A set is a number whose bits are its elements.
 *
 * The answer is the least, proven, as long as the search ends within its steps; beyond, it is the best that was found, which is never worse
 * than taking the set with the most new elements each time.
 *
 * @example
 * ```ts
 * leastCover([0b0011n, 0b0110n, 0b1100n], 0b1111n) // => [0, 2]
 * ```
 */
export function leastCover(sets: readonly bigint[], needed: bigint): readonly number[] {
  const useful = withoutContained(sets.map((set) => set & needed));
  const elements = withoutImplied(useful, needed);
  let best = greedy(useful, elements);
  let steps = STEPS;
  search(elements, []);
  return best.toSorted((a, b) => a - b);

  function search(left: bigint, chosen: readonly number[]): void {
    if (left === 0n) {
      if (chosen.length < best.length) best = chosen;
      return;
    }
    steps -= 1;
    if (steps < 0 || chosen.length + leastMore(useful, left) >= best.length) return;
    // The element that the fewest sets have: one of these is in every answer.
    const holders = rarest(useful, left);
    for (const [index, set] of holders.toSorted(([, a], [, b]) => size(b & left) - size(a & left))) {
      search(left & ~set, [...chosen, index]);
    }
  }
}

/** Nodes of the search tree: some milliseconds. Fleets need a few of them, because most branches are taken by one kind of pod or by all. */
const STEPS = 5000;

type Sets = readonly (readonly [index: number, set: bigint])[];

/** The sets that no other one contains; of equal ones, the first. */
function withoutContained(sets: readonly bigint[]): Sets {
  const largest = [...sets.entries()].toSorted(([a, x], [b, y]) => size(y) - size(x) || a - b);
  const kept: (readonly [number, bigint])[] = [];
  for (const [index, set] of largest) {
    if (set !== 0n && !kept.some(([, other]) => (set & ~other) === 0n)) kept.push([index, set]);
  }
  return kept.toSorted(([a], [b]) => a - b);
}

/** The elements without those that are in every set that has another one: a set that covers that one covers them too. */
function withoutImplied(sets: Sets, needed: bigint): bigint {
  const all = sets.reduce((union, [, set]) => union | set, 0n) & needed;
  const holders = bitsOf(all).map((bit) => [bit, holdersOf(sets, bit)] as const);
  const fewest = holders.toSorted(([, a], [, b]) => size(a) - size(b));
  const kept: (readonly [bigint, bigint])[] = [];
  for (const [bit, by] of fewest) {
    if (!kept.some(([, other]) => (other & ~by) === 0n)) kept.push([bit, by]);
  }
  return kept.reduce((union, [bit]) => union | bit, 0n);
}

function holdersOf(sets: Sets, bit: bigint): bigint {
  return sets.reduce((found, [, set], at) => ((set & bit) === 0n ? found : found | (1n << BigInt(at))), 0n);
}

function greedy(sets: Sets, elements: bigint): readonly number[] {
  const chosen: number[] = [];
  let left = elements;
  while (left !== 0n) {
    const [index, set] = sets.reduce((most, one) => (size(one[1] & left) > size(most[1] & left) ? one : most));
    chosen.push(index);
    left &= ~set;
  }
  return chosen;
}

/** How many sets are needed at least: as if each took as many as the one that takes the most. */
function leastMore(sets: Sets, left: bigint): number {
  return Math.ceil(size(left) / Math.max(...sets.map(([, set]) => size(set & left))));
}

function rarest(sets: Sets, left: bigint): Sets {
  const holders = bitsOf(left).map((bit) => sets.filter(([, set]) => (set & bit) !== 0n));
  return holders.reduce((fewest, one) => (one.length < fewest.length ? one : fewest));
}

function size(set: bigint): number {
  let count = 0;
  for (let left = set; left !== 0n; left &= left - 1n) count += 1;
  return count;
}

function bitsOf(set: bigint): readonly bigint[] {
  const bits: bigint[] = [];
  for (let left = set; left !== 0n; left &= left - 1n) bits.push(left & -left);
  return bits;
}
