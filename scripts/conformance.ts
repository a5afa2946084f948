// `npm run conformance -- DIR [--only PATTERN] [--door inject|lambda|cli] [--json]`: runs every case under DIR/cases at
// every door it is meant for. A case passes when all its doors do. Ends with
// `N passed, N failed`, and exits 0 only if none failed.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import type { Handler } from "../functions/inject/handler.ts";
import type { Release } from "../lib/release/release.ts";
import { readSourceTree } from "../lib/source/source-directory.ts";
import { compareObjects } from "../test/support/compare-objects.ts";
import { type ConformanceCase, decodeCase, treeOfCase } from "../test/support/conformance-case.ts";
import {
  type CaseOutcome,
  type Door,
  outcomeOfError,
  releaseOfCase,
  throughHandler,
  throughInjectPod,
} from "../test/support/conformance-doors.ts";
import { judgeCase } from "../test/support/judge-case.ts";
import { buildFunction } from "./build-bundles.ts";
import { projectRoot } from "./bundled-release.ts";
import { type DoorOutcome, openCliDoor } from "./conformance/cli-door.ts";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: "string" }, door: { type: "string" }, json: { type: "boolean", default: false } },
});
const directory = resolve(positionals[0] ?? process.env["OUTRIGGER_CONFORMANCE"] ?? "../shared/conformance");

process.exitCode = await run();

interface CaseResult {
  readonly name: string;
  readonly passed: boolean;
  readonly doors: readonly { readonly door: string; readonly differences: readonly string[] }[];
}

async function run(): Promise<number> {
  const doors = await openDoors();
  const results: CaseResult[] = [];
  for (const file of caseFiles(join(directory, "cases"))) {
    const conformanceCase = decodeCase(readFileSync(file, "utf8"));
    if (options.only !== undefined && !matches(conformanceCase.name, options.only)) continue;
    const result = judge(conformanceCase, await doors.outcomes(conformanceCase));
    results.push(result);
    if (!options.json) printFailure(result);
  }
  await doors.close();
  return report(results);
}

function judge(conformanceCase: ConformanceCase, outcomes: readonly DoorOutcome[]): CaseResult {
  const doors = outcomes.map(({ door, outcome }) => ({
    door,
    differences: judgeCase(conformanceCase, outcome, compareObjects),
  }));
  const passed = doors.every(({ differences }) => differences.length === 0);
  return { name: conformanceCase.name, passed, doors };
}

async function openDoors() {
  const wanted = (door: string) => options.door === undefined || options.door === door;
  const shipped = await readSourceTree(join(projectRoot, "templates"));
  const lambda = wanted("lambda") ? throughHandler((await importHandlerBundle()).createHandler) : undefined;
  const cli = wanted("cli") ? await openCliDoor() : undefined;
  return {
    async outcomes({ expect: _, ...input }: ConformanceCase): Promise<readonly DoorOutcome[]> {
      const release = attempt(() => releaseOfCase(shipped, input));
      const through = async (door: string, run: Door) => ({
        door,
        outcome: "error" in release ? release.error : await run(input, release.value),
      });
      const outcomes: DoorOutcome[] = [];
      if (wanted("inject")) outcomes.push(await through("inject", throughInjectPod));
      if (lambda !== undefined) outcomes.push(await through("lambda", lambda));
      if (cli !== undefined && input.door === "kube-inject") {
        outcomes.push(...(await cli.run(input, treeOfCase(input))));
      }
      return outcomes;
    },
    close: async () => cli?.close(),
  };
}

/** The very bundle that is deployed. */
async function importHandlerBundle(): Promise<{ readonly createHandler: CreateHandler }> {
  const { file } = await buildFunction("inject");
  return import(pathToFileURL(join(projectRoot, file)).href);
}

type CreateHandler = (options: { readonly release: Release; readonly write: (line: string) => void }) => Handler;

function attempt<T>(make: () => T): { readonly value: T } | { readonly error: CaseOutcome } {
  try {
    return { value: make() };
  } catch (error) {
    return { error: outcomeOfError(error) };
  }
}

function caseFiles(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".json"))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** A pattern is a part of the name, or a regular expression for it. */
function matches(name: string, pattern: string): boolean {
  return name.includes(pattern) || new RegExp(pattern).test(name);
}

function printFailure({ name, passed, doors }: CaseResult): void {
  if (passed) return;
  console.log(`FAIL ${name}`);
  for (const { door, differences } of doors) {
    for (const line of differences) console.log(`  ${door}: ${line}`);
  }
}

function report(results: readonly CaseResult[]): number {
  const summary = {
    ...count(results.map((result) => result.passed)),
    folders: byFolder(results),
    doors: byDoor(results),
  };
  if (options.json) {
    console.log(JSON.stringify({ directory: relative(process.cwd(), directory), ...summary, results }, null, 1));
  } else {
    for (const [title, counts] of [...Object.entries(summary.folders), ...Object.entries(summary.doors)]) {
      console.log(`${title.padEnd(20)} ${counts.passed} of ${counts.passed + counts.failed}`);
    }
    console.log(`${summary.passed} passed, ${summary.failed} failed`);
  }
  return results.length > 0 && summary.failed === 0 ? 0 : 1;
}

interface Counts {
  readonly passed: number;
  readonly failed: number;
}

function byFolder(results: readonly CaseResult[]): Readonly<Record<string, Counts>> {
  const folders = groupBy(results, folderOf);
  return Object.fromEntries([...folders].map(([name, group]) => [name, count(group.map((result) => result.passed))]));
}

function byDoor(results: readonly CaseResult[]): Readonly<Record<string, Counts>> {
  const rows = results.flatMap((result) => result.doors);
  const doors = groupBy(rows, ({ door }) => `door ${door}`);
  return Object.fromEntries(
    [...doors].map(([name, group]) => [name, count(group.map((row) => row.differences.length === 0))]),
  );
}

function folderOf({ name }: CaseResult): string {
  return name.slice(0, name.lastIndexOf("/"));
}

/** Map.groupBy came with Node 21. */
function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

function count(verdicts: readonly boolean[]): Counts {
  const passed = verdicts.filter(Boolean).length;
  return { passed, failed: verdicts.length - passed };
}
