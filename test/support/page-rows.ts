// Tables that the code writes into a page, between `<!-- rows: NAME -->` and `<!-- /rows -->`. UPDATE_GOLDEN=1 writes them again.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { tableLines, withRows } from "../../tools/support/page-rows.ts";
import { ROOT } from "../pages/code-blocks.ts";

export interface RowsOfPage {
  /** Below the project: `docs/releases.md`. */
  readonly page: string;
  readonly name: string;
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Fails where the page says something else than the rows. */
export function expectRows({ page, name, headings, rows }: RowsOfPage): void {
  const path = join(ROOT, page);
  const text = readFileSync(path, "utf8");
  const made = withRows(text, name, tableLines(headings, rows));
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(path, made);
  else expect(text).toBe(made);
}
