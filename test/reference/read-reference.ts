// Istio's measured behaviour as it is kept in the project: cases, tables and the pods of the benchmark, one compressed
// file per set. Absent or damaged data is an error, never a reason to skip. README.md says how it was measured.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { isObject } from "@outrigger/base";
import { type ConformanceCase, decodeCase } from "../../tools/conformance/conformance-case.ts";

/** The sets, each with the name of its file. */
export const SETS = ["generated", "merge", "differences", "tables", "pods"] as const;

export type SetName = (typeof SETS)[number];

/** Sets of conformance cases that Outrigger answers as the reference does. */
export const CASE_SETS = ["generated", "merge"] as const satisfies readonly SetName[];

export function fileOfSet(set: SetName): string {
  return join(import.meta.dirname, `${set}.jsonl.br`);
}

/** The set's text: one JSON document per line. */
export function readSet(set: SetName): string {
  const known = texts.get(set);
  if (known !== undefined) return known;
  const text = brotliDecompressSync(readFileSync(fileOfSet(set))).toString();
  texts.set(set, text);
  return text;
}

const texts = new Map<SetName, string>();

export function readLines(set: SetName): readonly string[] {
  return readSet(set).trimEnd().split("\n");
}

export function readCases(set: (typeof CASE_SETS)[number] | "differences"): readonly ConformanceCase[] {
  return readLines(set).map(decodeCase);
}

/**
 * The rows of a table, in the shape that the test expects of them.
 *
 * @param name without `.json`: `quantities`, `images`
 */
export function readTable<Row>(name: string): readonly Row[] {
  for (const line of readLines("tables")) {
    const table: unknown = JSON.parse(line);
    if (!isObject(table) || table["name"] !== name) continue;
    const rows: unknown = table["rows"];
    if (Array.isArray(rows) && rows.length > 0) return rows;
  }
  throw new Error(`Cannot read table "${name}": test/reference/tables.jsonl.br has no rows for it`);
}
