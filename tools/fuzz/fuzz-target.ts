// What the fuzzer runs: targets that make an input from chance and judge what happens to it. An input is plain JSON, so
// that one that failed can be kept and judged again when its generator has changed.
import { seededRandom } from "@outrigger/fake-aws";
import type { Random } from "../../test/support/random.ts";

/** The names of the targets in targets.ts, which compiles what they run. */
export const TARGET_NAMES = [
  "parsers",
  "pods",
  "review-bytes",
  "events",
  "templates",
  "values",
  "stored-parameters",
  "accepted-pods",
  "warm",
] as const;

export interface FuzzTarget {
  readonly name: (typeof TARGET_NAMES)[number];
  /** How many of a hundred runs are of this target. */
  readonly share: number;
  /** Whether inputs are JSON already: without `undefined`, and without keys that an object literal would not define. */
  readonly isJson?: true;
  /** Chance comes from the seed; the number itself serves a target whose neighbouring inputs share what is costly. */
  readonly make: (random: Random, seed: number) => unknown;
  /** Returns what went wrong with the input; undefined if nothing did. */
  readonly faultOf: (input: unknown) => Promise<string | undefined>;
}

export interface Failure {
  readonly target: string;
  readonly seed: number;
  readonly fault: string;
  readonly input: unknown;
}

/** Milliseconds of processor time that no input may take, twice in a row: a busy machine is not the input's fault. */
const LONGEST = 3000;

/** Runs a target with the seed, and judges the process as well: its prototypes and the time that it took. */
export async function runSeed(target: FuzzTarget, seed: number): Promise<Failure | undefined> {
  // The input is what its JSON says: `undefined` is not a part of it, and `__proto__` is a key.
  const made = target.make(seededRandom(seed), seed);
  const input: unknown = target.isJson === true ? made : JSON.parse(JSON.stringify(made));
  const fault = await judge(target, input);
  return fault === undefined ? undefined : { target: target.name, seed, fault, input };
}

export async function judge(target: FuzzTarget, input: unknown): Promise<string | undefined> {
  const started = performance.now();
  const fault = await faultOf(target, input);
  const found = fault ?? touchedPrototype();
  // Asking for the processor time takes as long as judging a small input.
  if (found !== undefined || performance.now() - started <= LONGEST) return found;
  const milliseconds = [await processorTime(target, input), await processorTime(target, input)];
  const least = Math.min(...milliseconds);
  return least > LONGEST ? `it took ${Math.round(least)} ms` : undefined;
}

async function processorTime(target: FuzzTarget, input: unknown): Promise<number> {
  const started = process.cpuUsage();
  await faultOf(target, input);
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1000;
}

async function faultOf(target: FuzzTarget, input: unknown): Promise<string | undefined> {
  try {
    return await target.faultOf(input);
  } catch (error) {
    return `it throws ${error instanceof Error ? error.stack?.slice(0, 600) : String(error)}`;
  }
}

const prototypes: readonly object[] = [Object.prototype, Array.prototype, String.prototype, Function.prototype];
const untouched = prototypes.map((prototype) => Reflect.ownKeys(prototype).length);

function touchedPrototype(): string | undefined {
  const touched = prototypes.findIndex((prototype, index) => Reflect.ownKeys(prototype).length !== untouched[index]);
  return touched === -1
    ? undefined
    : `a prototype has other keys: ${Reflect.ownKeys(prototypes[touched] ?? {}).map(String)}`;
}

/** The seeds of a run of so many inputs, by target. */
export function shareOut(targets: readonly FuzzTarget[], runs: number): readonly (readonly [FuzzTarget, number])[] {
  return targets.map((target) => [target, Math.ceil((runs * target.share) / 100)] as const);
}
