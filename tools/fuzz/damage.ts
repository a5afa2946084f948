// What a fuzzer does to good input: one node of another type, one more key, bytes changed, cut or repeated. All of it
// follows from a seeded random source, so that a seed repeats it.
import { pick, type Random } from "../../test/support/random.ts";

/** Text that input holds where a pod's author may write. It must not turn up in a log. */
export const MARKER = "mArKeR";

/** A whole number from 0 up to `end`, `end` excluded. */
export function below(random: Random, end: number): number {
  return Math.floor(random() * end);
}

const scalars: readonly unknown[] = [
  "",
  MARKER,
  `${MARKER}\n- a: b`,
  0,
  -1,
  1.5,
  70000,
  2 ** 53,
  true,
  null,
  {},
  [],
  [MARKER],
  { [MARKER]: 1 },
  "__proto__",
  "constructor",
  "\ud800",
];

const hostileKeys: readonly string[] = ["__proto__", "constructor", "prototype", "$patch", "toString", MARKER, ""];

/** The value with one node replaced by something of another type, repeated, or given one more key. */
export function damaged(value: unknown, random: Random): unknown {
  if (typeof value !== "object" || value === null || random() < 0.15) return pick(random, scalars);
  const children = Object.keys(value);
  if (Array.isArray(value)) {
    if (children.length === 0 || random() < 0.1) return [...value, pick(random, scalars)];
    const index = below(random, value.length);
    return random() < 0.1 ? [...value, value[index]] : value.with(index, damaged(value[index], random));
  }
  if (children.length === 0 || random() < 0.1) return { ...value, [pick(random, hostileKeys)]: pick(random, scalars) };
  const key = pick(random, children);
  if (random() < 0.05) return without(value, key);
  return { ...value, [key]: damaged((value as Readonly<Record<string, unknown>>)[key], random) };
}

function without(value: object, key: string): object {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
}

/** The text with one to four changes. `tokens` are what its language is made of. */
export function damagedText(text: string, random: Random, tokens: readonly string[]): string {
  let changed = text;
  for (let changes = 1 + below(random, 4); changes > 0; changes--) changed = changedOnce(changed, random, tokens);
  return changed;
}

const LONGEST = 60_000;

function changedOnce(text: string, random: Random, tokens: readonly string[]): string {
  const at = below(random, text.length + 1);
  const length = below(random, 12);
  const piece = text.slice(at, at + length);
  switch (below(random, 6)) {
    case 0:
      return text.slice(0, at) + text.slice(at + length);
    case 1:
      return text.slice(0, at) + pick(random, tokens) + text.slice(at);
    case 2:
      return text.slice(0, at) + pick(random, tokens) + text.slice(at + length);
    case 3:
      return text.slice(0, at) + String.fromCharCode(below(random, random() < 0.5 ? 128 : 65_536)) + text.slice(at + 1);
    case 4:
      return (text.slice(0, at) + piece.repeat(1 + below(random, 300)) + text.slice(at)).slice(0, LONGEST);
    default: {
      const other = below(random, text.length + 1);
      return text.slice(0, at) + text.slice(other, other + 40) + text.slice(at);
    }
  }
}
