// The tests of a tree: `tests/NAME/` with `pod.yaml` and what must come of it. Reads them; run-tests.ts runs them.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { OutriggerError } from "../../lib/errors.ts";

export interface TestCase {
  readonly name: string;
  /** The folder of the case. */
  readonly directory: string;
  /** A manifest: pods, workloads, or both. */
  readonly pod: string;
  readonly expected: Expectation | undefined;
}

export type Expectation =
  /** Text of a manifest. */
  | { readonly kind: "manifest"; readonly text: string }
  /** `injected`, `skipped`, or the name of a reason. */
  | { readonly kind: "decision"; readonly decision: string }
  /** Part of an error's message, or its code. */
  | { readonly kind: "error"; readonly words: string };

const KINDS = { "expected.yaml": "manifest", decision: "decision", error: "error" } as const;

/**
 * The cases below `tests/` in the order of their names; none where there is no such folder.
 *
 * @throws OutriggerError `tree-invalid`, naming the file
 */
export async function readTestCases(tree: string): Promise<readonly TestCase[]> {
  const root = join(tree, "tests");
  const names = await namesIn(root);
  return Promise.all(names.map((name) => readCase(name, join(root, name))));
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
      .map(({ name }) => name)
      .sort();
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return [];
    throw cause;
  }
}

async function readCase(name: string, directory: string): Promise<TestCase> {
  const pod = await readText(join(directory, "pod.yaml"));
  if (pod === undefined) {
    const message = `Cannot run test ${name}: ${join("tests", name)} has no pod.yaml; "outrigger new test ${name}" makes one`;
    throw new OutriggerError("tree-invalid", message, { path: directory });
  }
  const found: Expectation[] = [];
  for (const [file, kind] of Object.entries(KINDS)) {
    const text = await readText(join(directory, file));
    if (text === undefined) continue;
    if (kind === "manifest") found.push({ kind, text });
    else if (kind === "decision") found.push({ kind, decision: text.trim() });
    else found.push({ kind, words: text.trim() });
  }
  if (found.length > 1) {
    const message = `Cannot run test ${name}: it has more than one of ${Object.keys(KINDS).join(", ")}; keep one of them`;
    throw new OutriggerError("tree-invalid", message, { path: directory });
  }
  return { name, directory, pod, expected: found[0] };
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined;
    throw cause;
  }
}
