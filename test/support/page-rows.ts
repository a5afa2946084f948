// Tables that the code writes into a page, between `<!-- rows: NAME -->` and `<!-- /rows -->`. UPDATE_GOLDEN=1 writes them anew.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { ROOT } from "../pages/code-blocks.ts";

export interface RowsOfPage {
  /** Below the project: `docs/channels.md`. */
  readonly page: string;
  readonly name: string;
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Fails where the page says something else than the rows. */
export function expectRows({ page, name, headings, rows }: RowsOfPage): void {
  const path = join(ROOT, page);
  const text = readFileSync(path, "utf8");
  const [begin, end] = [`<!-- rows: ${name} -->\n`, "<!-- /rows -->"];
  const start = text.indexOf(begin) + begin.length;
  const stop = text.indexOf(end, start);
  expect(text, `${begin} in ${page}`).toContain(begin);
  const lines = [headings, headings.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |\n`);
  const made = text.slice(0, start) + lines.join("") + text.slice(stop);
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(path, made);
  else expect(text).toBe(made);
}
