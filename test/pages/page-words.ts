// For whom the words of a page count.
import { languageOf } from "../../scripts/site/translations.ts";

/**
 * The readers that a page is written for. A `generated` page is written by the code, or held by a test that makes every
 * figure of it.
 */
export type PageClass = "users" | "generated" | "contributors" | "translated";

export interface PageWords {
  readonly page: string;
  readonly of: PageClass;
  readonly words: number;
}

/**
 * Counts the words of a page as `wc -w` does. Tables that the code writes into a page of another class count as
 * generated.
 */
export function wordsOf(page: string, text: string): readonly PageWords[] {
  const of = classOf(page, text);
  const [own, rows] = [text.replaceAll(ROWS, ""), (text.match(ROWS) ?? []).join(" ")];
  const parts: readonly PageWords[] = [
    { page, of, words: count(own) },
    { page, of: of === "users" ? "generated" : of, words: count(rows) },
  ];
  return parts.filter(({ words }) => words > 0);
}

const ROWS = /<!-- rows: [^\n]*-->[\s\S]*?<!-- \/rows -->/g;

function classOf(page: string, text: string): PageClass {
  if (languageOf(page) !== undefined) return "translated";
  if (/^(docs\/contributing\/|CONTRIBUTING)/.test(page)) return "contributors";
  return /^# .*\n+<!-- (?:Made|Held) /m.test(text) ? "generated" : "users";
}

function count(text: string): number {
  return text.split(/\s+/).filter((word) => word !== "").length;
}
