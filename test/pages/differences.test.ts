// The tables of docs/differences.md are made of docs/reference/differences.json:
// UPDATE_GOLDEN=1 npx vitest run --project unit test/pages/differences
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type DifferenceRow, differenceRows } from "../conformance/differences.ts";
import { ROOT } from "./code-blocks.ts";

const PAGE = join(ROOT, "docs/differences.md");
const PART = /<!-- rows: (\w+) -->\n[\s\S]*?<!-- \/rows -->/g;

function tableOf(section: string): string {
  const rows = differenceRows.filter((row) => row.section === section);
  const line = ({ what, reference, here, setting }: DifferenceRow) =>
    `| ${what} | ${reference} | ${here} | ${setting === null ? "" : "yes"} |\n`;
  const heading = "| what | the reference | here | equal with `compatibility: reference` |\n|---|---|---|---|\n";
  return `<!-- rows: ${section} -->\n${heading}${rows.map(line).join("")}<!-- /rows -->`;
}

it("docs/differences.md has every row", () => {
  const text = readFileSync(PAGE, "utf8");
  const made = text.replace(PART, (_, section: string) => tableOf(section));
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(PAGE, made);
  else expect(text).toBe(made);
  const sections = [...text.matchAll(PART)].map(([, section]) => section);
  expect([...new Set(differenceRows.map(({ section }) => section))].sort()).toEqual(sections.sort());
});
