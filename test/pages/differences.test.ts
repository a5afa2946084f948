// The tables of docs/differences.md, and of its Chinese twin, are made of docs/reference/differences.json:
// UPDATE_GOLDEN=1 npx vitest run --project unit test/pages/differences
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type DifferenceRow, differenceRows } from "../../tools/conformance/differences.ts";
import { ROOT } from "./code-blocks.ts";

const PART = /<!-- rows: (\w+) -->\n[\s\S]*?<!-- \/rows -->/g;

const ENGLISH = {
  heading: "| what | the reference | here | equal with `compatibility: reference` |",
  yes: "yes",
  cells: (row: DifferenceRow) => row,
};
const CHINESE = {
  heading: "| 内容 | 参考实现 | Outrigger | 使用 `compatibility: reference` 时相同 |",
  yes: "是",
  cells: (row: DifferenceRow) => row.chinese,
};

function tableOf(section: string, { heading, yes, cells }: typeof ENGLISH | typeof CHINESE): string {
  const lines = differenceRows
    .filter((row) => row.section === section)
    .map((row) => ({ ...cells(row), setting: row.setting }))
    .map(
      ({ what, reference, here, setting }) => `| ${what} | ${reference} | ${here} | ${setting === null ? "" : yes} |\n`,
    );
  return `<!-- rows: ${section} -->\n${heading}\n|---|---|---|---|\n${lines.join("")}<!-- /rows -->`;
}

it.each([
  ["docs/differences.md", ENGLISH],
  ["docs/zh-CN/differences.md", CHINESE],
])("%s has every row", (page, language) => {
  const file = join(ROOT, page);
  const text = readFileSync(file, "utf8");
  const made = text.replace(PART, (_, section: string) => tableOf(section, language));
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(file, made);
  else expect(text).toBe(made);
  const sections = [...text.matchAll(PART)].map(([, section]) => section);
  expect([...new Set(differenceRows.map(({ section }) => section))].sort()).toEqual(sections.sort());
});
