// `outrigger test`: the tests of a source tree, with the coverage of its templates' branches.
import { join } from "node:path";
import { OutriggerError } from "@outrigger/base";
import { branchCoverage, lintSource, loadRelease } from "@outrigger/injector";
import { watchDirectories } from "@outrigger/publisher";
import type { Command } from "commander";
import { describeFindings, requireNoErrors } from "../../diagnose/lint-report.ts";
import { type OptionsOf, optionTable, takes } from "../../options/option.ts";
import { describeError } from "../../terminal/describe-error.ts";
import type { Io } from "../../terminal/io.ts";
import { printResult } from "../../terminal/print.ts";
import { printable } from "../../terminal/printable.ts";
import { environmentOptions, readTree } from "../../tree/environment.ts";
import { directoryOf, shippedTree } from "../../tree/read-trees.ts";
import { runTest, type TestResult } from "../../tree/run-tests.ts";
import { readTestCases } from "../../tree/test-cases.ts";

const NOTES = `
A test is a folder tests/NAME with pod.yaml, any manifest, and one of:
  expected.yaml  fields that the injected manifest must have; all of it, if the first line is "# exact"
  decision       injected, skipped, or the name of a reason, such as opted-out
  error          part of the message with which the pod is denied

With --env, the tests run with that environment of the tree, and those in environments/NAME/tests besides. Tests in tests/ are for all.

Prints which branches of the tree's own templates no test takes. Exits 1 if a test fails. outrigger publish --dir runs the
tests before it pushes.

Examples:
  outrigger new test web --dir my-templates
  outrigger test my-templates --update
  outrigger test my-templates -o junit > report.xml`;

const TEST_OPTIONS = optionTable({
  ...environmentOptions,
  update: { about: "write the result of each test to its expected.yaml" },
  watch: { about: "run again whenever a file changes" },
  json: { about: "print the results as JSON" },
  output: {
    short: "-o",
    argument: "<format>",
    about: "how the results are printed; junit says them in words on standard error too",
    choices: ["text", "json", "yaml", "junit"],
  },
});

type TestOptions = OptionsOf<typeof TEST_OPTIONS>;

export function addTestCommand(program: Command, io: Io): void {
  takes(program.command("test"), TEST_OPTIONS)
    .description("run the tests of a source tree")
    .argument("[dir]", "the directory of the source tree (default: the current one)")
    .addHelpText("after", NOTES)
    .action((directory, options) => runTests(directory, options, io));
}

async function runTests(argument: string | undefined, options: TestOptions, io: Io): Promise<void> {
  const directory = directoryOf(argument, io);
  if (options.watch !== true) return testTree(directory, options, io);
  const run = async (): Promise<void> => {
    try {
      await testTree(directory, options, io);
    } catch (error) {
      io.stderr.write(printable(`${describeError(error)}\n`));
    }
  };
  // What is edited while the tests run is noticed too: they run again, one run after the other.
  let latest = Promise.resolve();
  const runNext = (): Promise<void> => {
    latest = latest.then(run);
    return latest;
  };
  const watch = watchDirectories([directory, join(directory, "tests")], runNext);
  void runNext();
  await io.stopped();
  watch.close();
  await latest;
}

/**
 * Runs the tests of a directory and prints their results.
 *
 * @throws OutriggerError `tree-invalid` if one fails
 */
export async function testTree(directory: string, { env, update, output, json }: TestOptions, io: Io): Promise<void> {
  const reading = [readTestCases(directory, env), readTree(directory, env), shippedTree(io)] as const;
  const [cases, tree, shipped] = await Promise.all(reading);
  if (cases.length === 0) return print([], { tests: [] }, "There are no tests: outrigger new test NAME makes one\n");
  const { release, findings } = lintSource([shipped, tree]);
  if (release === undefined) {
    io.stderr.write(printable(describeFindings(findings)));
    return requireNoErrors(findings, "run the tests");
  }
  const coverage = branchCoverage(release, loadRelease(release), new Set(Object.keys(tree)));
  const results: TestResult[] = [];
  for (const test of cases) {
    // What all environments share is not rewritten with the values of one.
    const isUpdated = update === true && (env === undefined || test.name.startsWith(`${env}/`));
    results.push(await runTest(test, coverage.injector, isUpdated));
  }
  const failed = results.filter(({ outcome }) => outcome === "failed").length;
  const summary = `${results.length - failed} of ${results.length} tests passed\n`;
  const text = `${results.map(describeResult).join("")}${describeCoverage(coverage)}${summary}`;
  const branches = { ...coverage.count(), missed: coverage.missed() };
  print(results, { tests: results, branches }, printable(text));
  if (failed > 0) throw new OutriggerError("tree-invalid", `Cannot pass: ${failed} of ${results.length} tests failed`);

  function print(results: readonly TestResult[], value: unknown, text: string): void {
    if (output === "junit") {
      io.stderr.write(text);
      io.stdout.write(junitReport(results));
    } else printResult(io, json, value, text);
  }
}

function describeResult({ name, outcome, detail }: TestResult): string {
  const reason = detail === "" ? "" : `:\n${detail.trimEnd().replaceAll(/^/gm, "  ")}`;
  return `${outcome === "failed" ? "FAIL" : outcome === "updated" ? "new " : "ok  "} ${name}${reason}\n`;
}

function describeCoverage(coverage: ReturnType<typeof branchCoverage>): string {
  const { taken, all } = coverage.count();
  return all === 0 ? "" : `${describeFindings(coverage.missed())}${taken} of ${all} branches taken\n`;
}

function junitReport(results: readonly TestResult[]): string {
  const failures = results.filter(({ outcome }) => outcome === "failed").length;
  const cases = results.map(({ name, detail }) => {
    const failure =
      detail === "" ? "/>" : `>\n    <failure message="failed">${escapeXml(detail)}</failure>\n  </testcase>`;
    return `  <testcase classname="outrigger" name="${escapeXml(name)}"${failure}\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="outrigger" tests="${results.length}" failures="${failures}">\n${cases.join("")}</testsuite>\n`;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** XML has no form for most control characters. */
function escapeXml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] as string).replaceAll(/[^\P{Cc}\n\t]/gu, "");
}
