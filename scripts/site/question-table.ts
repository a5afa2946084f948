// Each question with the clicks that its answer takes: by links from the README, and as which result of one search.
import { pages, textOf } from "../../test/pages/code-blocks.ts";
import { clicksFrom } from "./page-clicks.ts";
import { QUESTIONS } from "./questions.ts";
import type { SearchResult } from "./search-site.ts";

/** @param results one for each question, in their order */
export function questionTable(results: readonly SearchResult[]): string {
  const clicks = clicksFrom("README.md", { pages: pages(), textOf });
  const rows = QUESTIONS.map(({ asked, search, answer }, at) => {
    const { page = "", shown = [] } = results[at] ?? {};
    const place = shown.indexOf(page) + 1;
    const count = clicks.get(`docs/${answer.replace(/#.*/, "")}`);
    return [asked, `${count ?? "–"}`, place === 0 ? "not found" : `result ${place} of "${search}"`, answer];
  });
  const table = [["question", "clicks", "search", "answer"], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => (row[column] ?? "").length)));
  return table
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
