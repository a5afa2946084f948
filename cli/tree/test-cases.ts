// The tests of a tree: `tests/NAME/` with `pod.yaml` and what must come of it. Reads them; run-tests.ts runs them.
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { suggestName } from "@outrigger/base";
import { DECISION_ROWS, OTHER_REASONS } from "@outrigger/injector";
import { inputFault } from "../manifests/input-fault.ts";

export interface TestCase {
  readonly name: string;
  readonly directory: string;
  /** A manifest: pods, workloads, or both. */
  readonly pod: string;
  /** The text of a decision is `injected`, `skipped` or a reason's name; of an error, part of its message, or its code. */
  readonly expected: { readonly kind: (typeof KINDS)[keyof typeof KINDS]; readonly text: string } | undefined;
  readonly fault?: string;
}

const KINDS = { "expected.yaml": "manifest", decision: "decision", error: "error" } as const;
const FILES: readonly string[] = ["pod.yaml", ...Object.keys(KINDS)];
const DECISIONS: readonly string[] = ["injected", "skipped", ...Object.keys(DECISION_ROWS), ...OTHER_REASONS];

/**
 * The cases below `tests/` in the order of their names, then those of an environment, `prod/web`; none where there is no such folder. A case that cannot be run is one
 * with a fault, so that all faults are reported in one run. Links are followed.
 */
export async function readTestCases(tree: string, environment?: string): Promise<readonly TestCase[]> {
  const all = await casesIn(join(tree, "tests"), "");
  if (environment === undefined) return all;
  return [...all, ...(await casesIn(join(tree, "environments", environment, "tests"), `${environment}/`))];
}

async function casesIn(root: string, prefix: string): Promise<readonly TestCase[]> {
  const cases = await Promise.all((await namesIn(root)).map((name) => readEntry(`${prefix}${name}`, join(root, name))));
  return cases.filter((one) => one !== undefined);
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return (await readdir(directory)).filter((name) => !name.startsWith(".")).sort();
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return [];
    throw cause;
  }
}

/** Files next to the tests are notes, unless they look like a test. */
async function readEntry(name: string, path: string): Promise<TestCase | undefined> {
  const faulty = (fault: string): TestCase => ({ name, directory: path, pod: "", expected: undefined, fault });
  if (/\p{Cc}/u.test(name)) return faulty("its name has control characters: rename the folder");
  try {
    if ((await stat(path)).isDirectory()) return await readCase(name, path, faulty);
  } catch (cause) {
    return faulty(`it cannot be read: ${inputFault(cause)}`);
  }
  if (!/\.ya?ml$/.test(name)) return undefined;
  return faulty(`it is a file: a test is a folder, as ${join("tests", name.replace(/\.ya?ml$/, ""), "pod.yaml")}`);
}

async function readCase(name: string, directory: string, faulty: (fault: string) => TestCase): Promise<TestCase> {
  const files = await namesIn(directory);
  for (const file of files) {
    const near = FILES.includes(file) ? "" : suggestName(file, FILES);
    if (near !== "") return faulty(`${join("tests", name, file)} is not read${near}`);
  }
  if (!files.includes("pod.yaml"))
    return faulty(`${join("tests", name)} has no pod.yaml; "outrigger new test ${name}" makes one`);
  const given = Object.keys(KINDS).filter((file) => files.includes(file));
  if (given.length > 1) return faulty(`it has ${given.join(" and ")}: keep one of them`);
  const pod = await readFile(join(directory, "pod.yaml"), "utf8");
  const [file] = given;
  if (file === undefined) return { name, directory, pod, expected: undefined };
  const text = await readFile(join(directory, file), "utf8");
  const fault = textFault(file, text.trim());
  if (fault !== undefined) return faulty(fault);
  const kind = KINDS[file as keyof typeof KINDS];
  return { name, directory, pod, expected: { kind, text: kind === "manifest" ? text : text.trim() } };
}

/** An expectation that every result meets, or none. */
function textFault(file: string, text: string): string | undefined {
  const hasComments = file === "expected.yaml";
  if (text.split("\n").every((line) => line.trim() === "" || (hasComments && line.trim().startsWith("#"))))
    return `${file} is empty: the test would say nothing`;
  if (file !== "decision" || DECISIONS.includes(text)) return undefined;
  const near = suggestName(text, DECISIONS);
  return `its decision is not known${near === "" ? `: use ${DECISIONS.join(", ")}` : near}`;
}
