// `npm run mutation -- --help` prints the options. Puts small faults into the source, one at a time, and counts which of them near tests notice.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { toolOptions } from "../support/tool-options.ts";
import { type Mutant, mutants, parses } from "./mutants.ts";
import { namedFaults, namedMutant, type Survivor, survivors } from "./named.ts";
import { nearTests, readImports } from "./near-tests.ts";
import { createRunner, type Verdict } from "./runner.ts";
import { hasTypes } from "./type-check.ts";

const root = resolve(import.meta.dirname, "../..");
const FOLDERS = ["lib", "cli", "functions", "infra", "test", "tools"];
/** The files that are mutated where nothing else is asked for: the pure packages, and the publisher. */
const SCOPE = "yaml,pod,mesh,template,injector,webhook,publisher".replaceAll(/\w+/g, "lib/$&/**");
/** The name in a verdict for the compiler in place of a test. */
const TYPES = "types";
/** A mutant that takes this many times the processor time of its tests is taken to loop. */
const SLOWER = 4;
const GRACE = 10_000;
/** Milliseconds that a file of tests is taken to need until it has been timed. */
const UNKNOWN = 3000;

const { values: options } = toolOptions({
  command: "npm run mutation --",
  says: "Puts one small fault at a time into the source, and counts which of them the tests near it notice.",
  options: {
    files: { type: "string", value: "GLOBS", default: SCOPE, says: "which sources, separated by commas" },
    sample: { type: "string", value: "N", says: "so many mutants; otherwise all" },
    seed: { type: "string", value: "TEXT", default: "1", says: "another text is another sample" },
    since: { type: "string", value: "REVISION", says: "only lines that have changed since then" },
    bar: { type: "string", value: "PERCENT", default: "90", says: "exit with 1 where fewer are noticed" },
    named: {
      type: "boolean",
      default: false,
      says: "the faults of tools/mutation/named.yaml, of which all must be noticed",
    },
  },
  example: "npm run mutation -- --files 'lib/template/**' --sample 30 --seed 1",
});

const sources = new Map<string, string>();
const imports = readImports(root, FOLDERS);
/** Tables that a script writes are checked against what it reads. */
const isGenerated = (file: string): boolean =>
  /^(?:\/\/.*\n){0,2}\/\/ (?:Generated|Written) by scripts\//.test(sourceOf(file));
const asked = new Set(git("ls-files", "--", ...options.files.split(",").map((pattern) => `:(glob)${pattern}`)));
const files = [...imports.keys()]
  .filter((file) => asked.has(file) && !file.endsWith(".test.ts") && !isGenerated(file))
  .toSorted();
const changed = options.since === undefined ? undefined : changedLines(options.since);
const generated = (): readonly Mutant[] =>
  files
    .flatMap((file) => mutants(file, sourceOf(file)))
    .filter(({ file, line }) => changed === undefined || changed.get(file)?.has(line));
const named = (): readonly Mutant[] => namedFaults.map((fault) => namedMutant(fault, sourceOf(fault.file)));
const all = options.named ? named() : generated();
const chosen = options.sample === undefined ? all.filter(parses) : sample(all, Number(options.sample), options.seed);

console.log(`${chosen.length} of ${all.length} mutants in ${files.length} files`);
process.exitCode = await measure();

async function measure(): Promise<number> {
  const runner = createRunner();
  /** The number of mutants of a file that each test has killed, by `file test`. */
  const kills = new Map<string, number>();
  /** Milliseconds; undefined where the tests fail without a mutant. */
  const durations = new Map<string, number | undefined>();
  const verdicts: (readonly [Mutant, Verdict])[] = [];
  try {
    for (const mutant of chosen) {
      const verdict = byTypes(mutant, await judge(mutant));
      const killer = `${mutant.file} ${verdict.by}`;
      kills.set(killer, (kills.get(killer) ?? 0) + 1);
      verdicts.push([mutant, verdict]);
      if (verdict.outcome !== "killed") console.log(`${verdict.outcome.toUpperCase()} ${describe(mutant)}`);
    }
  } finally {
    runner.close();
  }
  return report(verdicts);

  /** Asks the compiler about a mutant that no test has noticed. It is asked last, as it takes seconds. */
  function byTypes(mutant: Mutant, verdict: Verdict): Verdict {
    const isOpen = verdict.outcome !== "killed" && verdict.outcome !== "timeout" && accepts(mutant) === undefined;
    return isOpen && !hasTypes(mutant, root) ? { ...verdict, outcome: "killed", by: TYPES } : verdict;
  }

  async function judge(mutant: Mutant): Promise<Verdict> {
    for (;;) {
      const tests = inOrder(mutant);
      if (tests.length === 0) return { outcome: "no tests", milliseconds: 0 };
      const unknown = tests.filter((test) => !durations.has(test));
      const expected = tests.reduce((sum, test) => sum + (durations.get(test) ?? UNKNOWN), 0);
      const verdict = await runner.run({
        file: mutant.file,
        code: mutant.code,
        tests,
        limit: expected * SLOWER + GRACE,
      });
      // A verdict counts if the test that made it passes without the mutant; tests are timed only where that is asked.
      const deciding = verdict.outcome === "timeout" ? unknown : unknown.filter((test) => test === verdict.by);
      if (deciding.length === 0) return verdict;
      for (const test of deciding) durations.set(test, await duration(test));
      if (verdict.outcome === "killed" && deciding.every((test) => durations.get(test) !== undefined)) return verdict;
    }
  }

  /** The tests to run: what killed mutants of the file before, then those that import it, the fast ones first. */
  function inOrder({ file }: Mutant): readonly string[] {
    const { direct, indirect } = nearTests(imports, file);
    const byDuration = (a: string, b: string): number => (durations.get(a) ?? UNKNOWN) - (durations.get(b) ?? UNKNOWN);
    // What takes long comes late, however often it has killed.
    const perTime = (test: string): number => (kills.get(`${file} ${test}`) ?? 0) / (durations.get(test) ?? UNKNOWN);
    const byKills = (a: string, b: string): number => perTime(b) - perTime(a);
    const isSound = (test: string): boolean => !durations.has(test) || durations.get(test) !== undefined;
    return [...direct.toSorted(byDuration), ...indirect.toSorted(byDuration)].filter(isSound).toSorted(byKills);
  }

  /** Returns how long a file of tests takes without a mutant. One that fails then would kill every mutant, and is left out. */
  async function duration(test: string): Promise<number | undefined> {
    const { outcome, milliseconds } = await runner.run({ file: test, tests: [test], limit: 300_000 });
    if (outcome === "survived") return milliseconds;
    console.log(`LEFT OUT ${test}: it fails without a mutant`);
    return undefined;
  }
}

/** Prints the score by folder and what survived; 1 where the score is under the bar or an accepted survivor is out of date. */
function report(verdicts: readonly (readonly [Mutant, Verdict])[]): number {
  const isKilled = ({ outcome }: Verdict): boolean => outcome === "killed" || outcome === "timeout";
  const folderOf = (file: string): string => file.split("/").slice(0, 2).join("/");
  const folders = [...new Set(verdicts.map(([{ file }]) => folderOf(file)))];
  const rows = folders.map((folder) => [folder, verdicts.filter(([{ file }]) => folderOf(file) === folder)] as const);
  console.log(`\n${"folder".padEnd(24)}mutants  killed  by types  equivalent  accepted  score`);
  const isEquivalent = ([mutant, verdict]: (typeof verdicts)[number]): boolean =>
    !isKilled(verdict) && accepts(mutant)?.isEquivalent === true;
  for (const [folder, group] of [...rows, ["all", verdicts] as const]) {
    const killed = group.filter(([, verdict]) => isKilled(verdict)).length;
    const types = group.filter(([, { by }]) => by === TYPES).length;
    const equivalent = group.filter(isEquivalent).length;
    const accepted = group.filter(([mutant, verdict]) => !isKilled(verdict) && accepts(mutant)).length - equivalent;
    const counts = [group.length, killed, types, equivalent, accepted].map((count, at) =>
      String(count).padStart([7, 8, 10, 12, 10][at] ?? 0),
    );
    console.log(`${folder.padEnd(24)}${counts.join("")}${percent(killed, group.length - equivalent).padStart(9)}`);
  }
  const judged = verdicts.filter((verdict) => !isEquivalent(verdict));
  const killed = verdicts.filter(([, verdict]) => isKilled(verdict));
  const stale = options.named ? [] : survivors.filter((survivor) => isStale(survivor, killed));
  for (const { file, before, after } of stale)
    console.log(`Out of date in survivors.yaml: ${file}\n  - ${before}\n  + ${after}`);
  const bar = options.named ? 100 : Number(options.bar);
  const isEnough = killed.length * 100 >= judged.length * bar;
  if (!isEnough) console.log(`Under the bar of ${bar} %`);
  return isEnough && stale.length === 0 ? 0 : 1;
}

function isStale(survivor: Survivor, killed: readonly (readonly [Mutant, Verdict])[]): boolean {
  if (killed.some(([mutant]) => isSame(survivor, mutant))) return true;
  return files.includes(survivor.file) && changed === undefined && !all.some((mutant) => isSame(survivor, mutant));
}

function accepts(mutant: Mutant): Survivor | undefined {
  return survivors.find((survivor) => isSame(survivor, mutant));
}

function isSame(a: Survivor, b: Mutant): boolean {
  return a.file === b.file && a.before === b.before && a.after === b.after;
}

function describe(mutant: Mutant): string {
  const note = accepts(mutant) === undefined ? "" : " (accepted)";
  return `${mutant.file}:${mutant.line} ${mutant.operator}${note}\n  - ${mutant.before}\n  + ${mutant.after}`;
}

function percent(part: number, whole: number): string {
  return `${(whole === 0 ? 0 : (part * 100) / whole).toFixed(1)} %`;
}

/** Returns mutants in random order, so that a run that ends early is a sample too. The same seed gives the same mutants, and mostly the same ones when code elsewhere changes. */
function sample(from: readonly Mutant[], count: number, seed: string): readonly Mutant[] {
  const rank = ({ file, before, after }: Mutant): string =>
    createHash("sha256").update(`${seed}\n${file}\n${before}\n${after}`).digest("hex");
  const ranked = from
    .map((mutant) => [rank(mutant), mutant] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const found: Mutant[] = [];
  for (const [, mutant] of ranked) {
    if (found.length === count) break;
    if (parses(mutant)) found.push(mutant);
  }
  return found;
}

function sourceOf(file: string): string {
  const known = sources.get(file) ?? readFileSync(join(root, file), "utf8");
  sources.set(file, known);
  return known;
}

/** Lines that are new or different since a revision, by file. */
function changedLines(revision: string): ReadonlyMap<string, ReadonlySet<number>> {
  const lines = new Map<string, Set<number>>();
  let current = new Set<number>();
  for (const line of git("diff", "--unified=0", revision, "--", ".")) {
    const file = /^\+\+\+ b\/(.*)$/.exec(line)?.[1];
    if (file !== undefined) {
      current = new Set();
      lines.set(file, current);
    }
    const [, from, count = "1"] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    if (from !== undefined) for (let at = 0; at < Number(count); at++) current.add(Number(from) + at);
  }
  return lines;
}

function git(...args: readonly string[]): readonly string[] {
  return execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 }).split("\n");
}
