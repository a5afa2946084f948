// `node --import tsx tools/regex/compare.ts [COUNT [SEED]]`: generated patterns, texts and replacements, each with what the template helpers make of them,
// judged by Go's regexp (main.go). Exits 1 if any differs. Patterns that are refused here alone are counted.
import { spawnSync } from "node:child_process";
import { seededRandom } from "@outrigger/fake-aws";
import { helpers } from "@outrigger/template";

const [count = "120000", seed = "1"] = process.argv.slice(2);
const random = seededRandom(Number(seed));

/** The first are parts of patterns that Go takes. */
const ATOMS = [
  "a",
  "b",
  "k",
  "s",
  "K",
  "\u212a",
  "\u017f",
  "é",
  "É",
  "ß",
  "ς",
  "Σ",
  "😀",
  "\n",
  " ",
  ".",
  "^",
  "$",
  "\\b",
  "\\B",
  "\\A",
  "\\z",
  "\\d",
  "\\D",
  "\\w",
  "\\W",
  "\\s",
  "\\S",
  "[ab]",
  "[^a]",
  "[[:space:]]",
  "[[:^alpha:]]",
  "[[:foo:]]",
  "[^[:word:]k]",
  "[\\D]",
  "[a\\S]",
  "[\\w-]",
  "[a-\\x7a]",
  "[]a]",
  "[^]a]",
  "[a-]",
  "[-a]",
  "[[:a]",
  "[b-a]",
  "[",
  "]",
  "{",
  "}",
  "\\x41",
  "\\x{6b}",
  "\\x{110000}",
  "\\x",
  "\\x4",
  "\\101",
  "\\0",
  "\\7",
  "\\12",
  "\\_",
  "\\-",
  "\\é",
  "\\q",
  "\\Q*a\\E",
  "\\Qk",
  "\\E",
  "\\pL",
  "\\p{Greek}",
  "\\C",
  "(?i)",
  "(?s)",
  "(?m)",
  "(?U)",
  "(?-i)",
  "(?i-s)",
  "(?sm)",
  "(?)",
  "(?-)",
  "(?z)",
  "{1001}",
  "{3}",
  "a{01}",
  "{,3}",
  "(?:)",
  "\\n",
  "\\t",
  "\\a",
  "\\v",
  "-",
  ",",
  "$1",
  "\\\\",
  "[\\b]",
  "[\\_]",
  "[\\]]",
  "[^\\x00-\\x{10ffff}]",
  "[[:upper:]k]",
  "[[:punct:]]",
  "[[:graph:]]",
  "[[:print:]]",
  "[[:cntrl:]]",
  "[[:xdigit:]]",
  "[[:blank:]]",
  "[[:lower:]]",
  "[[:ascii:]]",
  "[[:alnum:]]",
  "[^\\W]",
  "[^\\S\\n]",
  "\\/",
  "/",
];
const REPEATS = [
  "",
  "",
  "",
  "",
  "*",
  "+",
  "?",
  "*?",
  "+?",
  "??",
  "{2}",
  "{1,2}",
  "{0}",
  "{2,}",
  "{1,2}?",
  "{1001}",
  "{2,1}",
  "**",
  "{2}{3}",
  "*{2}",
  "+*",
];
const OPENS = ["(", "(?:", "(?P<n>", "(?<m>", "(?i:", "(?s-i:", "(?m:", "(?U:", "(?=", "(?<!"];
const CHARS = [
  "a",
  "b",
  "k",
  "s",
  "K",
  "S",
  "\u212a",
  "\u017f",
  "é",
  "É",
  "ß",
  "ẞ",
  "ς",
  "σ",
  "Σ",
  "😀",
  "\n",
  " ",
  "-",
  "_",
  "1",
  "9",
  "A",
  "x",
  "\t",
  "]",
  "[",
  "*",
  "{",
  "/",
  "\\",
  "\u00a0",
  "\v",
];
const REPLACEMENTS = ["", "x", "<$0>", "[$1]", `$${"{1}_$n"}`, "$$", "$2x", `$${"{m}"}`];

const lines = Array.from({ length: Number(count) }, () =>
  JSON.stringify(madeOf(patternOf(0), textOf(), pick(REPLACEMENTS))),
);
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
    const matches = helpers["regexMatch"]?.([pattern, text], {});
    const replaced = helpers["regexReplaceAll"]?.([pattern, text, replacement], {});
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
    if (kind <= 2 && depth < 3) return `${some(OPENS, 8)}${patternOf(depth + 1)})${pick(REPEATS)}`;
    return some(ATOMS, 34) + some(REPEATS, 15);
  }).join("");
}

function textOf(): string {
  return Array.from({ length: below(10) }, () => pick(CHARS)).join("");
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
