// The words for one thing in English, docs/reference/terms.json, and in the languages of the docs.
import type { TermWord, Translation } from "../../scripts/site/translation.ts";
import { TRANSLATIONS } from "../../scripts/site/translations.ts";
import { textOf } from "../pages/code-blocks.ts";

export interface Term {
  readonly section: "edited" | "injection" | "field";
  readonly english: string;
  /** The meaning, which is missing if the term is not ours. */
  readonly meaning?: string;
  /** Words that would be a second one for it. */
  readonly notEnglish?: readonly string[];
}

export const TERMS: readonly Term[] = JSON.parse(textOf("docs/reference/terms.json"));

/** The docs in the language of a tag; undefined where they are not translated to it. */
export function translationTo(tag: string): Translation | undefined {
  return TRANSLATIONS[tag];
}

/** The word of a language for a term, and those that would be a second one; undefined where the language has none. */
export function termWord({ terms }: Translation, english: string): TermWord | undefined {
  const found = Object.hasOwn(terms.words, english) ? terms.words[english] : undefined;
  return typeof found === "string" ? { word: found, not: [] } : found;
}

/**
 * The terms that an English text names at least so many times, alone or in the plural, and for which the translated text says
 * something else, or the language has no word.
 */
export function missingTerms(
  translation: Translation,
  english: string,
  translated: string,
  times: number,
): readonly string[] {
  const named = TERMS.filter(
    (term) => [...english.matchAll(new RegExp(`\\b${term.english}s?\\b`, "gi"))].length >= times,
  );
  return named.flatMap((term) => {
    const word = termWord(translation, term.english)?.word;
    if (word === undefined) return [`${term.english}: the language has no word`];
    return translated.includes(word) ? [] : [term.english];
  });
}

/** Words of an English text that are a second one for a term. */
export function secondEnglish(text: string): readonly string[] {
  return TERMS.flatMap(({ notEnglish = [] }) => notEnglish).filter((word) => new RegExp(`\\b${word}\\b`).test(text));
}

/** Words of a translated text that are a second one for a term. */
export function secondWords(translation: Translation, text: string): readonly string[] {
  const words = Object.keys(translation.terms.words).flatMap((english) => termWord(translation, english)?.not ?? []);
  return words.filter((word) => text.includes(word));
}
