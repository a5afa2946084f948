// `npm run conformance -- DIR [--only PATTERN] [--door inject|lambda|cli] [--json]`: runs every case under DIR/cases at
// every door it is meant for and compares with DIR/compare.mjs. A case passes when all its doors do. Ends with
// `N passed, N failed`, and exits 0 only if none failed.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { buildFunction } from "./build-bundles.mjs";
import { importTypeScript, projectRoot } from "./bundled-release.mjs";
import { openCliDoor } from "./conformance/cli-door.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: "string" }, door: { type: "string" }, json: { type: "boolean", default: false } },
});
const directory = resolve(positionals[0] ?? process.env.OUTRIGGER_CONFORMANCE ?? "../shared/conformance");

process.exitCode = await run();

async function run() {
  const { differences } = await import(pathToFileURL(join(directory, "compare.mjs")).href);
  const { judgeCase } = await importTypeScript("test/support/judge-case.ts");
  const doors = await openDoors();
  const results = [];
  for (const file of caseFiles(join(directory, "cases"))) {
    const conformanceCase = JSON.parse(readFileSync(file, "utf8"));
    if (options.only !== undefined && !matches(conformanceCase.name, options.only)) continue;
    const { expect: _, ...input } = conformanceCase;
    const outcomes = await doors.outcomes(input);
    const judged = outcomes.map(({ door, outcome }) => ({
      door,
      differences: judgeCase(conformanceCase, outcome, differences),
    }));
    results.push({
      name: conformanceCase.name,
      passed: judged.every((one) => one.differences.length === 0),
      doors: judged,
    });
    if (!options.json) printFailure(results.at(-1));
  }
  await doors.close();
  return report(results);
}

async function openDoors() {
  const wanted = (door) => options.door === undefined || options.door === door;
  const sources = await importTypeScript("test/support/conformance-doors.ts");
  const { readSourceTree } = await importTypeScript("lib/source/source-directory.ts");
  const shipped = await readSourceTree(join(projectRoot, "templates"));
  const lambda = wanted("lambda") ? sources.throughHandler((await importHandlerBundle()).createHandler) : undefined;
  const cli = wanted("cli") ? await openCliDoor(sources) : undefined;
  return {
    async outcomes(input) {
      const release = attempt(() => sources.releaseOfCase(shipped, input), sources.outcomeOfError);
      const through = async (door, run) => ({ door, outcome: release.error ?? (await run(input, release.value)) });
      const outcomes = [];
      if (wanted("inject")) outcomes.push(await through("inject", sources.throughInjectPod));
      if (lambda !== undefined) outcomes.push(await through("lambda", lambda));
      if (cli !== undefined && input.door === "kube-inject") {
        outcomes.push(...(await cli.run(input, sources.treeOfCase(input))));
      }
      return outcomes;
    },
    close: async () => cli?.close(),
  };
}

/** The very bundle that is deployed. */
async function importHandlerBundle() {
  const [{ file }] = await buildFunction("inject");
  return import(pathToFileURL(join(projectRoot, file)).href);
}

function attempt(make, outcomeOfError) {
  try {
    return { value: make() };
  } catch (error) {
    return { error: outcomeOfError(error) };
  }
}

function caseFiles(root) {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".json"))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** A pattern is a part of the name, or a regular expression for it. */
function matches(name, pattern) {
  return name.includes(pattern) || new RegExp(pattern).test(name);
}

function printFailure({ name, passed, doors }) {
  if (passed) return;
  console.log(`FAIL ${name}`);
  for (const { door, differences } of doors) {
    for (const line of differences) console.log(`  ${door}: ${line}`);
  }
}

function report(results) {
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

function byFolder(results) {
  const folders = groupBy(results, folderOf);
  return Object.fromEntries([...folders].map(([name, group]) => [name, count(group.map((result) => result.passed))]));
}

function byDoor(results) {
  const rows = results.flatMap((result) => result.doors);
  const doors = groupBy(rows, ({ door }) => `door ${door}`);
  return Object.fromEntries(
    [...doors].map(([name, group]) => [name, count(group.map((row) => row.differences.length === 0))]),
  );
}

function folderOf({ name }) {
  return name.slice(0, name.lastIndexOf("/"));
}

/** Map.groupBy came with Node 21. */
function groupBy(items, keyOf) {
  const groups = new Map();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

function count(verdicts) {
  const passed = verdicts.filter(Boolean).length;
  return { passed, failed: verdicts.length - passed };
}
