// `npm run mutation -- --help` prints the options. Puts small faults into the source, one at a time, and counts which of them near tests notice.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join, resolve } from "node:path";
import { toolOptions } from "../support/tool-options.ts";
import { type Mutant, mutants, parses } from "./mutants.ts";
import { namedFaults, namedMutant, type Survivor, survivors } from "./named.ts";
import { type NearTests, nearTests, readImports } from "./near-tests.ts";
import { createRunner, type Runner, type Times, type Verdict } from "./runner.ts";
import { hasTypes } from "./type-check.ts";

const root = resolve(import.meta.dirname, "../..");
const FOLDERS = ["lib", "cli", "functions", "infra", "test", "tools"];
/** The files that are mutated where nothing else is asked for: the pure packages, and the publisher. */
const SCOPE = "yaml,pod,mesh,template,injector,webhook,publisher".replaceAll(/\w+/g, "lib/$&/**");
/** The name in a verdict for the compiler in place of a test. */
const TYPES = "types";
/** A test that takes this many times its processor time is taken to loop. */
const SLOWER = 4;
const GRACE = 10_000;
/** Milliseconds that a file of tests is taken to need until it has been timed. */
const UNKNOWN = 3000;
/** A file of tests that needs longer than this many milliseconds is run only after the compiler has been asked. */
const QUICK = 4000;
/** Processes that run tests: a mutant each. */
const RUNNERS = availableParallelism();
/** How long files of tests took in earlier runs: the quick ones come first from the beginning. */
const TIMES = join(root, ".runtime/mutation/times.json");

const options = toolOptions({
  command: "npm run mutation --",
  says: "Puts one small fault at a time into the source, and counts which of them the tests near it notice.",
  options: {
    files: { type: "string", value: "GLOBS", default: SCOPE, says: "which sources, separated by commas" },
    sample: { type: "integer", least: 1, value: "N", says: "so many mutants; otherwise all" },
    seed: { type: "string", value: "TEXT", default: "1", says: "another text is another sample" },
    since: { type: "string", value: "REVISION", says: "only lines that have changed since then" },
    limit: {
      type: "number",
      value: "SECONDS",
      default: 60,
      says: "processor time for the tests of one mutant; one that none has noticed by then has survived",
    },
    bar: { type: "number", value: "PERCENT", default: 90, says: "exit with 1 where fewer are noticed" },
    named: {
      type: "boolean",
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
const chosen = options.sample === undefined ? all.filter(parses) : sample(all, options.sample, options.seed);

console.log(`${chosen.length} of ${all.length} mutants in ${files.length} files`);
process.exitCode = await measure();

async function measure(): Promise<number> {
  const started = Date.now();
  const runners = Array.from({ length: Math.min(RUNNERS, chosen.length) }, () => createRunner());
  /** How many mutants of a file a test has killed: `file test`. */
  const kills = new Map<string, number>();
  const times = new Map<string, number>(Object.entries(readTimes()));
  /** Whether a file of tests passes without a mutant, as far as is known. */
  const passes = new Map<string, boolean>();
  /** Whether the compiler takes a file without a mutant, as far as is known. */
  const compiles = new Map<string, boolean>();
  const verdicts: (readonly [Mutant, Verdict])[] = [];
  const waiting = [...chosen];
  try {
    await Promise.all(runners.map(judgeAll));
  } finally {
    for (const runner of runners) runner.close();
    writeTimes(Object.fromEntries(times));
  }
  const code = report(verdicts);
  console.log(`${Math.round((Date.now() - started) / 1000)} s`);
  return code;

  async function judgeAll(runner: Runner): Promise<void> {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const verdict = await judge(mutant, runner);
      const killer = `${mutant.file} ${verdict.by}`;
      kills.set(killer, (kills.get(killer) ?? 0) + 1);
      verdicts.push([mutant, verdict]);
      if (verdict.outcome === "killed") continue;
      const cut = verdict.isCut === true ? ` (within ${options.limit} s)` : "";
      console.log(`${verdict.outcome.toUpperCase()}${cut} ${describe(mutant)}`);
    }
  }

  /** The file's own tests first that are quick, then the compiler, which takes seconds, then all other tests. */
  async function judge(mutant: Mutant, runner: Runner): Promise<Verdict> {
    const near = nearTests(imports, mutant.file);
    const tests = inOrder(mutant, near);
    const isOwn = (test: string): boolean => near.direct.includes(test) || killsOf(mutant, test) > 0;
    const isFirst = (test: string): boolean => isOwn(test) && timeOf(test) <= QUICK;
    const first = await byTests(mutant, tests.filter(isFirst), runner);
    if (first.outcome === "killed" || first.outcome === "timeout") return first;
    if (accepts(mutant) === undefined && (await isRefused(mutant))) return { ...first, outcome: "killed", by: TYPES };
    if (first.isCut === true) return first;
    const others = tests.filter((test) => !isFirst(test));
    const then = await byTests(mutant, others, runner, first.milliseconds);
    return then.outcome === "no tests" ? first : then;
  }

  /** Whether the compiler refuses a mutant. That counts if it takes the file without one. */
  async function isRefused(mutant: Mutant): Promise<boolean> {
    if (await hasTypes(mutant, root)) return false;
    const { file } = mutant;
    const known = compiles.get(file);
    const isSound = known ?? (await hasTypes({ file, code: sourceOf(file) }, root));
    compiles.set(file, isSound);
    if (known === undefined && !isSound) console.log(`LEFT OUT the compiler for ${file}: it fails without a mutant`);
    return isSound;
  }

  /** @param spent of the mutant's time, in milliseconds */
  async function byTests(mutant: Mutant, tests: readonly string[], runner: Runner, spent = 0): Promise<Verdict> {
    for (;;) {
      const sound = tests.filter((test) => passes.get(test) !== false);
      if (sound.length === 0) return { outcome: "no tests", milliseconds: spent };
      const limits = Object.fromEntries(sound.map((test) => [test, limitOf(test)]));
      const { file, code } = mutant;
      const verdict = await runner.run({
        file,
        code,
        tests: sound,
        limits,
        budget: options.limit * 1000 - spent,
      });
      for (const [test, time] of Object.entries(verdict.times ?? {})) {
        passes.set(test, true);
        times.set(test, Math.min(time, times.get(test) ?? time));
      }
      const { by } = verdict;
      // A verdict counts if the test that made it passes without the mutant, and in time.
      if (by === undefined || !sound.includes(by) || passes.get(by) === true) return verdict;
      const limit = limits[by] ?? 0;
      await passesAlone(by, runner);
      const isFarQuicker = verdict.outcome !== "timeout" || (times.get(by) ?? 0) * SLOWER <= limit;
      if (passes.get(by) === true && isFarQuicker) return verdict;
    }
  }

  function limitOf(test: string): number {
    return timeOf(test) * SLOWER + GRACE;
  }

  function timeOf(test: string): number {
    return times.get(test) ?? UNKNOWN;
  }

  function killsOf({ file }: Mutant, test: string): number {
    return kills.get(`${file} ${test}`) ?? 0;
  }

  /** The tests to run: what killed mutants of the file before, then its own, then those that only reach it, the fast ones first. */
  function inOrder(mutant: Mutant, { direct, indirect }: NearTests): readonly string[] {
    const byTime = (a: string, b: string): number => timeOf(a) - timeOf(b);
    // What takes long comes late, however often it has killed.
    const perTime = (test: string): number => killsOf(mutant, test) / timeOf(test);
    const byKills = (a: string, b: string): number => perTime(b) - perTime(a);
    return [...direct.toSorted(byTime), ...indirect.toSorted(byTime)].toSorted(byKills);
  }

  /** Runs a file of tests without a mutant. One that fails without would kill every mutant: it is left out. */
  async function passesAlone(test: string, runner: Runner): Promise<void> {
    const { outcome, milliseconds, reason } = await runner.run({
      file: test,
      tests: [test],
      limits: {},
      budget: 300_000,
    });
    passes.set(test, outcome === "survived");
    times.set(test, milliseconds);
    if (outcome !== "survived") console.log(`LEFT OUT ${test}: it fails without a mutant: ${reason ?? outcome}`);
  }
}

function readTimes(): Times {
  return existsSync(TIMES) ? (JSON.parse(readFileSync(TIMES, "utf8")) as Times) : {};
}

function writeTimes(times: Times): void {
  mkdirSync(dirname(TIMES), { recursive: true });
  writeFileSync(TIMES, JSON.stringify(times));
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
  const bar = options.named ? 100 : options.bar;
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
