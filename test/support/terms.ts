// The words for one thing in English and in Chinese: docs/reference/terms.json.
import { textOf } from "../pages/code-blocks.ts";

export interface Term {
  readonly section: "edited" | "injection" | "field";
  readonly english: string;
  readonly chinese: string;
  /** Missing where the term is not ours. */
  readonly meaning?: string;
  /** Words that would be a second one for it. */
  readonly notEnglish?: readonly string[];
  readonly notChinese?: readonly string[];
}

export const TERMS: readonly Term[] = JSON.parse(textOf("docs/reference/terms.json"));

/** The terms that an English text names at least so many times, alone or in the plural, and for which the Chinese text says something else. */
export function missingTerms(english: string, chinese: string, times: number): readonly string[] {
  const named = TERMS.filter(
    (term) => [...english.matchAll(new RegExp(`\\b${term.english}s?\\b`, "gi"))].length >= times,
  );
  return named.filter((term) => !chinese.includes(term.chinese)).map((term) => term.english);
}

/** Words of an English text that are a second one for a term. */
export function secondEnglish(text: string): readonly string[] {
  return TERMS.flatMap(({ notEnglish = [] }) => notEnglish).filter((word) => new RegExp(`\\b${word}\\b`).test(text));
}

/** The same of a Chinese text. */
export function secondChinese(text: string): readonly string[] {
  return TERMS.flatMap(({ notChinese = [] }) => notChinese).filter((word) => text.includes(word));
}
