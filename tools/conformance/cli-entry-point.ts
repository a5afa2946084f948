// The third entry point of conformance: `outrigger inject`, in this process for every case and as the real executable once per
// kind of workload. The case's tree goes to a directory, as a user's would.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isObject, type JsonObject } from "@outrigger/base";
import { main, sourceFile } from "@outrigger/cli";
import type { SourceTree } from "@outrigger/injector";
import { builtCli } from "../../scripts/build/built.ts";
import { projectRoot } from "../../scripts/build/bundled-release.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { type Ended, runProgram } from "../../test/support/run-program.ts";
import {
  type CaseInput,
  type CaseOutcome,
  type EntryPointOutcome,
  outcomeOfError,
  readDocuments,
} from "./entry-points.ts";

/** Runs cases until `close()` removes the directory. */
export async function openCli() {
  const executable = join(projectRoot, await builtCli());
  const root = mkdtempSync(join(tmpdir(), "outrigger-conformance-"));
  const seenKinds = new Set<string>();

  async function run({ name, request }: CaseInput, tree: SourceTree): Promise<readonly EntryPointOutcome[]> {
    const { manifest = "" } = request;
    const args = ["inject", "-f", "-", "--dir", writeTree(join(root, name), tree)];
    const outcomes: EntryPointOutcome[] = [{ entryPoint: "cli", outcome: outcomeOf(await runMain(args, manifest)) }];
    const kinds = kindsIn(manifest).filter((kind) => !seenKinds.has(kind));
    if (kinds.length > 0) {
      for (const kind of kinds) seenKinds.add(kind);
      const end = await runProgram(executable, args, { input: manifest });
      outcomes.push({ entryPoint: "executable", outcome: outcomeOf(end) });
    }
    return outcomes;
  }
  return { run, close: () => rmSync(root, { recursive: true, force: true }) };
}

function writeTree(directory: string, tree: SourceTree): string {
  for (const [path, text] of Object.entries(tree)) {
    const file = join(directory, sourceFile(path));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return directory;
}

async function runMain(args: readonly string[], manifest: string): Promise<Ended> {
  const io = fakeIo({ input: [manifest] });
  const code = await main(args, io);
  return { code, out: io.out(), err: io.err() };
}

/** The outcome of a command. For a manifest every refusal is an error, no matter who can fix it. */
export function outcomeOf({ code, out, err }: Ended): CaseOutcome {
  if (code === 1) return { kind: "denied", message: err.trim() };
  if (code !== 0) return { kind: "failed", message: `exit code ${code}: ${err.trim()}` };
  const warnings = err.split("\n").filter((line) => line.trim() !== "");
  try {
    return { kind: "documents", documents: readDocuments(out), warnings };
  } catch (error) {
    return outcomeOfError(error);
  }
}

/** The kinds of workload in a manifest; none where it cannot be read, which is for the command to say. */
export function kindsIn(manifest: string): readonly string[] {
  try {
    return kindsOf(readDocuments(manifest));
  } catch {
    return [];
  }
}

function kindsOf(documents: readonly JsonObject[]): readonly string[] {
  return documents.flatMap(({ kind, items }) => [
    String(kind),
    ...(Array.isArray(items) ? kindsOf(items.filter(isObject)) : []),
  ]);
}
