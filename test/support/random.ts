// Random choices that a seed repeats.
import { seededRandom } from "@outrigger/fake-aws";

export type Random = () => number;

/** Numbers from 0 up to 1. */
export const randomOf: (seed: number) => Random = seededRandom;

export function pick<T>(random: Random, choices: readonly T[]): T {
  return choices[Math.floor(random() * choices.length)] as T;
}

/** Some of the choices: each is taken with this probability. */
export function some<T>(random: Random, choices: readonly T[], probability: number): readonly T[] {
  return choices.filter(() => random() < probability);
}
