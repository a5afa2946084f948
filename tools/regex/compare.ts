// `node --import tsx tools/regex/compare.ts --help` prints the options. Generated patterns, texts and replacements, each with what the template helpers make of them,
// judged by Go's regexp (main.go). Patterns that are refused here alone are counted.
import { spawnSync } from "node:child_process";
import { seededRandom } from "@outrigger/fake-aws";
import { helpers } from "@outrigger/template";
import { readTable } from "../support/read-table.ts";
import { toolOptions } from "../support/tool-options.ts";

const { count, seed } = toolOptions({
  command: "node --import tsx tools/regex/compare.ts",
  says: "Compares what the template helpers make of regular expressions with what Go makes of them. Needs Go. Exits 1 if any differs.",
  options: {
    count: {
      type: "integer",
      value: "N",
      default: 120000,
      says: "how many patterns, each with a text and a replacement",
    },
    seed: { type: "integer", value: "N", default: 1, says: "another number is another sample" },
  },
  example: "node --import tsx tools/regex/compare.ts --count 1000 --seed 7",
});
const random = seededRandom(seed);

/** The parts that patterns are made of; the first of the atoms, repeats and openings are those that Go accepts. */
const { atoms, repeats, opens, chars, replacements } = readTable<
  Readonly<Record<"atoms" | "repeats" | "opens" | "chars" | "replacements", readonly string[]>>
>("tools/regex/parts.yaml", "list");

const lines = Array.from({ length: count }, () => JSON.stringify(madeOf(patternOf(0), textOf(), pick(replacements))));
const { status, stdout, stderr, error } = spawnSync("go", ["run", "."], {
  cwd: import.meta.dirname,
  input: lines.join("\n"),
  encoding: "utf8",
  maxBuffer: 2 ** 30,
});
console.log(error === undefined ? `${stdout}${stderr}` : `Cannot run Go: ${error.message}`);
process.exitCode = status ?? 1;

function madeOf(pattern: string, text: string, replacement: string) {
  try {
    const matches = helpers.regexMatch.run([pattern, text], {});
    const replaced = helpers.regexReplaceAll.run([pattern, text, replacement], {});
    return { pattern, text, replacement, matches, replaced };
  } catch (cause) {
    if (cause instanceof Error && cause.message.includes("regular expression")) return { pattern, text, replacement };
    throw cause;
  }
}

function patternOf(depth: number): string {
  return Array.from({ length: below(5) + 1 }, () => {
    const kind = below(12);
    if (kind === 0) return "|";
    if (kind <= 2 && depth < 3) return `${some(opens, 8)}${patternOf(depth + 1)})${pick(repeats)}`;
    return some(atoms, 34) + some(repeats, 15);
  }).join("");
}

function textOf(): string {
  return Array.from({ length: below(10) }, () => pick(chars)).join("");
}

/** Mostly one of the first. */
function some(items: readonly string[], first: number): string {
  return pick(below(4) === 0 ? items : items.slice(0, first));
}

function pick(items: readonly string[]): string {
  return items[below(items.length)] as string;
}

function below(end: number): number {
  return Math.floor(random() * end);
}
