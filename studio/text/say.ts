// Says a word in the reader's language: the browser's, until the reader chooses.

import { computed, signal } from "@preact/signals";
import { englishWords } from "./en.ts";
import type { Word } from "./language-texts.ts";
import { isLanguage, type Language, textsOf, wordIn } from "./languages.ts";

/** The reader's choice; undefined until there is one. */
export const chosenLanguage = signal<Language | undefined>(undefined);

/** The browser's language, as chooseLanguage() finds it. */
export const browserLanguage = signal<Language>("en");

export const language = computed(() => chosenLanguage.value ?? browserLanguage.value);

/** The texts of the reader's language. */
export const texts = computed(() => textsOf(language.value));

/** The first of the browser's languages that the page has, English if it has none. @param preferred the first preferred */
export function chooseLanguage(preferred: readonly string[]): Language {
  return preferred.map((tag) => tag.toLowerCase().split("-")[0]).find(isLanguage) ?? "en";
}

/** The word for a name; a name that the page does not know is said as it is. */
export function sayName(kind: "cell" | "count" | "did" | "effect" | "signal" | "state", name: string): string {
  const word = `${kind}.${name.replaceAll(" ", "-")}`;
  return word in englishWords ? say(word as Word) : name;
}

/** The word, with the values put in place of `{name}`, and a number with its noun in place of `{name one|several}`. */
export function say(word: Word, values: Readonly<Record<string, string | number>> = {}): string {
  return wordIn(texts.value, word).replace(
    /\{(\w+)(?: ([^|}]+)\|([^}]+))?\}/g,
    (whole, name: string, one?: string, several?: string) => {
      if (!Object.hasOwn(values, name)) return whole;
      const value = String(values[name]);
      return one === undefined ? value : `${value} ${value === "1" ? one : several}`;
    },
  );
}
