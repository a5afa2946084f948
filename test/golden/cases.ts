// Owns the conformance data as the golden suites use them: the cases by folder, the comparison that came with them, and
// one injector for all cases of one configuration. Looks at nothing that is expected.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Injector } from "../../lib/inject/injector.ts";
import { loadRelease } from "../../lib/release/load-release.ts";
import { readSourceTree } from "../../lib/source/source-directory.ts";
import { type Compare, compareObjects } from "../support/compare-objects.ts";
import type { ConformanceCase } from "../support/conformance-case.ts";
import { type CaseInput, releaseOfCase, treeOfCase } from "../support/conformance-doors.ts";

export interface Cases {
  /** Where they are, or would be. */
  readonly directory: string;
  readonly isThere: boolean;
  /** Folder → the cases' file names. */
  readonly folders: Readonly<Record<string, readonly string[]>>;
  readonly compare: Compare;
  read(folder: string, file: string): ConformanceCase;
  /** Of the case's configuration over the shipped tree: made when it is first asked for. */
  injectorOf(input: CaseInput): Injector;
}

export async function findCases(): Promise<Cases> {
  const directory = resolve(process.env["OUTRIGGER_CONFORMANCE"] ?? "../shared/conformance");
  const root = join(directory, "cases");
  const isThere = existsSync(root);
  const shipped = await readSourceTree("templates");
  const injectors = new Map<string, Injector>();
  return {
    directory,
    isThere,
    folders: isThere ? Object.fromEntries(readdirSync(root).map((name) => [name, readdirSync(join(root, name))])) : {},
    compare: compareObjects,
    read: (folder, file) => JSON.parse(readFileSync(join(root, folder, file), "utf8")) as ConformanceCase,
    injectorOf(input) {
      const configuration = JSON.stringify(treeOfCase(input as ConformanceCase));
      const injector = injectors.get(configuration) ?? loadRelease(releaseOfCase(shipped, input));
      injectors.set(configuration, injector);
      return injector;
    },
  };
}
