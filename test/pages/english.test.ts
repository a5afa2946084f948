// Code, configuration and pages have no idiom that a native technical writer would not use.
import { type Dirent, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "./code-blocks.ts";

/** Matched against words in lower case; names in camel case are split into words first. */
const IDIOMS: readonly { readonly pattern: RegExp; readonly instead: string }[] = [
  { pattern: /\bmend(s|ed|ing)?\b/, instead: "fix, restore, repair or reconcile" },
  { pattern: /\b(tells|told)\b/, instead: "says, shows, reports or distinguishes" },
  { pattern: /\b(stands?|stood|standing)\b(?!-)/, instead: "is, exists or applies" },
  { pattern: /\bbeside\b/, instead: "next to, in addition to or besides" },
  { pattern: /\bwhoever\b/, instead: "the caller, the user, or who it is" },
  {
    pattern: /\b(somebody|someone|anybody|anyone|everybody)\b/,
    instead: "a user, a caller, any caller or every caller",
  },
  { pattern: /\bwhat there is\b/, instead: "what exists, or the thing itself" },
  { pattern: /\b(that|which) (is|are|was|were) none\b(?! of\b)/, instead: "an invalid …, or: not a …" },
  { pattern: /\bthat came\b/, instead: "that was received, or the input" },
  { pattern: /\brooms?\b/, instead: "folder, package or space" },
  { pattern: /\bdoors?\b/, instead: "entry point" },
  { pattern: /\bas good as\b/, instead: "treated as, or equivalent to" },
  { pattern: /\bof (its|their|our|your|my) own hand\b/, instead: "our own …" },
  { pattern: /\b(gone|goes|go|going|went) on with\b/, instead: "continue" },
  { pattern: /\bwhat (becomes|became|comes|came) of\b/, instead: "what happens to, or the result of" },
  { pattern: /\b(comes?|came|coming) to (nothing|an end)\b/, instead: "fails, or ends" },
  { pattern: /\bthat there (is|are) not\b|(?<!\b(says?|so) )\bthat there are\b(?! no\b)/, instead: "that exist" },
  { pattern: /\bserves? instead\b/, instead: "is used instead" },
  { pattern: /\banew\b/, instead: "again" },
  { pattern: /\bfor ever\b/, instead: "forever" },
];

/** What is read, at any depth; but this table, and output that `test:deploy` compares. */
const READ = /\.(?:ts|tsx|cjs|yml|hbs|md)$|^\.ci\//;
const EXEMPT = /^test\/(pages\/english\.test\.ts$|infra\/golden\/)/;

/** `door` is a member of a measured case: a name in data, not a word of ours. */
const MEMBER_NAMES = /(?<=[.`"])door\b|\bdoor(?=[,:)]| \})|\bdoor (?=[!=]==|is \$)/g;

describe("code, configuration and pages", () => {
  it("have no such idiom", () => {
    const found = projectFiles().flatMap((file) =>
      findIdioms(textOf(file)).map(({ line, found, instead }) => `${file}:${line}: "${found}": write ${instead}`),
    );
    expect(found).toEqual([]);
  });
});

describe("findIdioms()", () => {
  it.each([
    ["// mend what is named above", "mend"],
    ['throw new Error("Whoever asks is told so")', "whoever"],
    ["/** The pod that came. */", "that came"],
    ["const openDoors = 1;", "doors"],
    ["const MAX_ROOM = 1;", "room"],
    ["# What there is under which parameters", "what there is"],
    ["// a manifest that is none is as good as missing", "that is none"],
    ["A restart that was stopped is gone on with", "gone on with"],
    ["// What becomes of a pod", "what becomes of"],
    ["it names the channels that there are", "that there are"],
    ["// reads it anew", "anew"],
  ])("finds an idiom in %s", (text, found) => {
    expect(findIdioms(`\n${text}\n`)).toContainEqual(expect.objectContaining({ line: 2, found }));
  });

  it.each([
    "// amended",
    "// mushroom",
    "// outdoors",
    "// a stand-in",
    "// the one that is none of these",
    "// understands",
    "it says that there are no credentials",
    "for every pod",
  ])("finds nothing in %s", (text) => {
    expect(findIdioms(text)).toEqual([]);
  });

  it("says what to write instead of every idiom", () => {
    for (const { instead } of IDIOMS) expect(instead).not.toBe("");
  });
});

/** Without what is installed, built or fetched: the folders that .gitignore names. A copy without git has files too. */
function projectFiles(): readonly string[] {
  const ignored = readFileSync(join(ROOT, ".gitignore"), "utf8").split("\n");
  const folders = [".git", ...ignored.filter((line) => line.endsWith("/")).map((line) => line.slice(0, -1))];
  const isKept = (entry: Dirent): boolean => !folders.includes(entry.name);
  const walk = (folder: string): readonly string[] =>
    readdirSync(join(ROOT, folder), { withFileTypes: true })
      .filter(isKept)
      .flatMap((entry) => (entry.isDirectory() ? walk(join(folder, entry.name)) : [join(folder, entry.name)]));
  return walk("").filter((file) => READ.test(file) && !EXEMPT.test(file));
}

function textOf(file: string): string {
  const text = readFileSync(join(ROOT, file), "utf8");
  return /^(test\/(golden|reference)|tools\/(apiserver|conformance))\//.test(file)
    ? text.replace(MEMBER_NAMES, "")
    : text;
}

function findIdioms(
  text: string,
): readonly { readonly line: number; readonly found: string; readonly instead: string }[] {
  return text.split("\n").flatMap((content, index) => {
    const words = asWords(content);
    return IDIOMS.flatMap(({ pattern, instead }) => {
      const match = pattern.exec(words);
      return match === null ? [] : [{ line: index + 1, found: match[0], instead }];
    });
  });
}

/** `openDoors` → `open doors`, `MAX_ROOM` → `max room`. */
function asWords(text: string): string {
  return text
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .toLowerCase();
}
