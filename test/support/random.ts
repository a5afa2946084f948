// Random choices that a seed repeats.

export type Random = () => number;

/** A generator of numbers from 0 to 1 (mulberry32). */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function pick<T>(random: Random, choices: readonly T[]): T {
  return choices[Math.floor(random() * choices.length)] as T;
}

/** Each of the choices with that probability. */
export function some<T>(random: Random, choices: readonly T[], probability: number): readonly T[] {
  return choices.filter(() => random() < probability);
}
