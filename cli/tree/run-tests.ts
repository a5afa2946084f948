// Runs the tests of a tree: injects each case's manifest and compares the result with what is expected.
import { constants } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isObject, type JsonValue, jsonEqual, ownError } from "@outrigger/base";
import type { Injector, InjectResult, Release, SourceTree } from "@outrigger/injector";
import { admittedRequest, injectManifest, injectPod, loadRelease } from "@outrigger/injector";
import { formatYaml, parseYamlDocuments } from "@outrigger/yaml";
import { inputFault } from "../manifests/input-fault.ts";
import { makeFolder } from "../project/make-folder.ts";
import { textDiff } from "../terminal/text-diff.ts";
import type { TestCase } from "./test-cases.ts";

export interface TestResult {
  readonly name: string;
  readonly outcome: "passed" | "failed" | "updated";
  readonly detail: string;
}

/** The first line of an expectation that the whole result must equal; without it, the fields that it has. */
const EXACT = "# exact";

/** @param update writes the result of a case as its expectation, instead of comparing */
export async function runTest(test: TestCase, injector: Injector, update: boolean): Promise<TestResult> {
  const { name, expected, fault } = test;
  const result = (detail: string): TestResult => ({ name, outcome: detail === "" ? "passed" : "failed", detail });
  if (fault !== undefined) return result(fault);
  const tried = tryCase(test, injector);
  if (expected?.kind === "error") {
    const { text: words } = expected;
    const wanted = `expected an error with ${JSON.stringify(words)}`;
    if (tried.error === undefined) return result(`${wanted}, but the injection succeeds`);
    const { code, message } = tried.error;
    const isExpected = code === words || (words !== "" && message.includes(words));
    return result(isExpected ? "" : `${wanted}, got ${code}: ${message}`);
  }
  if (tried.error !== undefined) return result(`the injection fails: ${tried.error.message}`);
  if (expected?.kind === "decision") return result(decisionFault(expected.text, tried.results));
  if (expected !== undefined && !update) {
    try {
      return result(manifestFault(expected.text, tried.text, name));
    } catch (error) {
      return result(ownError(error).message);
    }
  }
  if (!update) return result("it has no expected.yaml, decision or error: write one, or run with --update");
  const written = `${EXACT}: written by outrigger test --update; without this line, only the fields below are compared\n${tried.text}`;
  if (expected?.text === written) return result("");
  try {
    // Through a link, another file would be overwritten.
    await writeFile(join(test.directory, "expected.yaml"), written, { flag: WRITE_NO_LINK });
  } catch (cause) {
    return result(`${join("tests", name, "expected.yaml")} cannot be written: ${inputFault(cause)}`);
  }
  return { name, outcome: "updated", detail: "" };
}

const WRITE_NO_LINK = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0);

function tryCase({ name, pod }: TestCase, injector: Injector) {
  const results: InjectResult[] = [];
  try {
    const { text } = injectManifest(pod, {
      source: `tests/${name}/pod.yaml`,
      inject: (request) => {
        const result = injectPod(injector, request);
        results.push(result);
        // As an API server sends it: what fails for it, and the branches that it takes, count too.
        injectPod(injector, admittedRequest(request));
        return result;
      },
    });
    return { text, results, error: undefined };
  } catch (error) {
    return { text: "", results, error: ownError(error) };
  }
}

function decisionFault(expected: string, results: readonly InjectResult[]): string {
  if (results.length === 0) return `expected ${expected}, but pod.yaml has no pod`;
  const wrong = results.find(
    ({ injected, reason }) => expected !== reason && expected !== (injected ? "injected" : "skipped"),
  );
  if (wrong === undefined) return "";
  return `expected ${expected}, got ${wrong.injected ? "injected" : "skipped"} (${wrong.reason})`;
}

function manifestFault(expected: string, actual: string, name: string): string {
  const [wanted, got] = [documentsOf(expected, `tests/${name}/expected.yaml`), documentsOf(actual, "the result")];
  const isExact = expected.startsWith(EXACT);
  const isWithin = () =>
    wanted.length <= got.length && wanted.every((one, index) => jsonEqual(relevant(one, got[index]), one));
  if (isExact ? jsonEqual(wanted, got) : isWithin()) return "";
  const seen = isExact ? got : wanted.map((one, index) => relevant(one, got[index]) ?? null);
  const text = (documents: readonly JsonValue[]) => documents.map((one) => formatYaml(one)).join("---\n");
  return textDiff({ name: "expected", text: text(wanted) }, { name: "got", text: text(seen) });
}

function documentsOf(text: string, source: string): readonly JsonValue[] {
  return parseYamlDocuments(text, source).flatMap(({ value }) => (value === null ? [] : [value]));
}

/**
 * Returns what `whole` has at the fields of `part`. Items with a name are found by it; other lists are compared whole.
 */
function relevant(part: JsonValue, whole: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(part) && Array.isArray(whole)) {
    const isNamed = (item: unknown) => isObject(item) && typeof item["name"] === "string";
    if (part.length === 0 || !part.every(isNamed)) return whole;
    return part.flatMap((item) => {
      const found = whole.find((other) => isObject(other) && isObject(item) && other["name"] === item["name"]);
      return found === undefined ? [] : [relevant(item, found) ?? null];
    });
  }
  if (!isObject(part) || !isObject(whole)) return whole;
  return Object.fromEntries(
    Object.keys(part).flatMap((key) => {
      const value = Object.hasOwn(whole, key) ? relevant(part[key] as JsonValue, whole[key]) : undefined;
      return value === undefined ? [] : [[key, value]];
    }),
  );
}

/**
 * Writes `tests/<sample>/` for the samples of the tree, or for the shipped ones where it has none.
 *
 * @returns the names of the tests. A sample that cannot be injected has its error as expectation
 */
export async function writeSampleTests(
  directory: string,
  release: Release,
  tree: SourceTree,
  shipped: SourceTree,
): Promise<readonly string[]> {
  const own = samplesOf(tree);
  const samples = own.length > 0 ? own : samplesOf(shipped);
  const injector = loadRelease(release);
  for (const [name, pod] of samples) {
    const folder = join(directory, "tests", name);
    await makeFolder(folder);
    await writeFile(join(folder, "pod.yaml"), pod);
    const test = { name, directory: folder, pod, expected: undefined };
    const { outcome, detail } = await runTest(test, injector, true);
    if (outcome === "failed")
      await writeFile(join(folder, "error"), `${detail.replace(/^the injection fails: /, "")}\n`);
  }
  return samples.map(([name]) => name);
}

function samplesOf(tree: SourceTree): readonly (readonly [name: string, pod: string])[] {
  const paths = Object.entries(tree).filter(([path]) => path.startsWith("samples/"));
  return paths.map(([path, pod]) => [path.slice("samples/".length), pod] as const).sort(([a], [b]) => (a < b ? -1 : 1));
}
