// Where conformance cases come from: those that are kept in the project, a folder that you name, and Istio's own golden
// cases, which are not part of the project.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { projectRoot } from "../../scripts/build/bundled-release.ts";
import { CASE_SETS, readCases } from "../../test/reference/read-reference.ts";
import { type ConformanceCase, decodeCase } from "./conformance-case.ts";

export interface CaseSet {
  readonly name: string;
  readonly cases: readonly ConformanceCase[];
}

/** Folders of Istio's own golden cases. */
const ISTIO_FOLDERS: readonly string[] = ["istio-webhook", "istio-kube-inject"];

/** The cases that are kept in test/reference. */
export function vendoredSets(): readonly CaseSet[] {
  return CASE_SETS.map((name) => ({ name, cases: readCases(name) }));
}

/** A case for rows of docs/reference/differences.json, named by the row: kept in test/reference, measured on the development line. */
export function differenceSets(): readonly CaseSet[] {
  return [{ name: "differences", cases: readCases("differences") }];
}

/** The cases below `<directory>/cases`, one set per folder, with those in folders below it. Throws where there are none. */
export function setsIn(directory: string): readonly CaseSet[] {
  const root = join(directory, "cases");
  if (!existsSync(root)) throw new Error(`Cannot read cases: ${root} does not exist`);
  const folders = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
  if (folders.length === 0) throw new Error(`Cannot read cases: ${root} has no folders`);
  return folders.map((name) => ({ name, cases: casesIn(join(root, name)) }));
}

/**
 * Istio's own golden cases: from the folder in OUTRIGGER_CONFORMANCE, else from ../shared/conformance where it exists.
 * With neither there are no sets, and `notice` says so in one line.
 */
export function istioSets(): { readonly sets: readonly CaseSet[]; readonly notice?: string } {
  const named = process.env["OUTRIGGER_CONFORMANCE"];
  const directory = named === undefined ? join(projectRoot, "../shared/conformance") : resolve(named);
  if (named === undefined && !existsSync(directory)) {
    return {
      sets: [],
      notice: "Istio's own golden cases were not run: set OUTRIGGER_CONFORMANCE to a folder with them",
    };
  }
  return { sets: ISTIO_FOLDERS.map((name) => ({ name, cases: casesIn(join(directory, "cases", name)) })) };
}

function casesIn(folder: string): readonly ConformanceCase[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".json"))
    .sort();
  if (files.length === 0) throw new Error(`Cannot read cases: ${folder} has none`);
  return files.map((file) => decodeCase(readFileSync(join(folder, file), "utf8")));
}
