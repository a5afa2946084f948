// The tables of docs/differences.md, and of its translations, are made of docs/reference/differences.json:
// UPDATE_GOLDEN=1 npx vitest run --project unit test/pages/differences
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type DifferenceRow, differenceRows } from "../../tools/conformance/differences.ts";
import { ROOT } from "./code-blocks.ts";
import { TWINS } from "./twins.ts";

const PART = /<!-- rows: (\w+) -->\n[\s\S]*?<!-- \/rows -->/g;

interface Language {
  readonly heading: string;
  readonly yes: string;
  readonly cells: (row: DifferenceRow) => Pick<DifferenceRow, "what" | "reference" | "here">;
}

const ENGLISH: Language = {
  heading: "| what | the reference | here | equal with `compatibility: reference` |",
  yes: "yes",
  cells: (row: DifferenceRow) => row,
};

const TRANSLATED = TWINS.filter(({ page }) => page === "docs/differences.md").map(({ twin, tag, translation }) => {
  const cells = (row: DifferenceRow) => {
    const translated = row.translations[tag];
    if (translated === undefined)
      throw new Error(`docs/reference/differences.json has no translation of ${row.id} to ${tag}`);
    return translated;
  };
  if (translation.differences === undefined) throw new Error(`scripts/site/translations.ts has no words for ${twin}`);
  return [twin, { ...translation.differences, cells }] as const;
});

function tableOf(section: string, { heading, yes, cells }: Language): string {
  const lines = differenceRows
    .filter((row) => row.section === section)
    .map((row) => ({ ...cells(row), setting: row.setting }))
    .map(
      ({ what, reference, here, setting }) => `| ${what} | ${reference} | ${here} | ${setting === null ? "" : yes} |\n`,
    );
  return `<!-- rows: ${section} -->\n${heading}\n|---|---|---|---|\n${lines.join("")}<!-- /rows -->`;
}

it.each([["docs/differences.md", ENGLISH] as const, ...TRANSLATED])("%s has every row", (page, language) => {
  const file = join(ROOT, page);
  const text = readFileSync(file, "utf8");
  const made = text.replace(PART, (_, section: string) => tableOf(section, language));
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(file, made);
  else expect(text).toBe(made);
  const sections = [...text.matchAll(PART)].map(([, section]) => section);
  expect([...new Set(differenceRows.map(({ section }) => section))].sort()).toEqual(sections.sort());
});
