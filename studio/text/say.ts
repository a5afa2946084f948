// Says a word in the reader's language: the browser's, until the reader chooses.

import { computed, signal } from "@preact/signals";
import { type Word, words } from "./words.ts";

type Language = "en" | "zh";

/** The reader's choice; undefined until there is one. */
export const chosenLanguage = signal<Language | undefined>(undefined);

/** The browser's, as chooseLanguage() finds it. */
export const browserLanguage = signal<Language>("en");

export const language = computed(() => chosenLanguage.value ?? browserLanguage.value);

/** @param preferred the browser's languages, the first preferred */
export function chooseLanguage(preferred: readonly string[]): Language {
  const known = preferred.map((tag) => tag.toLowerCase().split("-")[0]).find((tag) => tag === "en" || tag === "zh");
  return known === "zh" ? "zh" : "en";
}

/** The word for a name that may be one that the page does not know, which is then said as it is. */
export function sayName(kind: "cell" | "count" | "did" | "signal" | "state", name: string): string {
  const word = `${kind}.${name.replaceAll(" ", "-")}`;
  return word in words ? say(word as Word) : name;
}

/** The word, with the values put in place of `{name}`, and a number with its noun in place of `{name one|several}`. */
export function say(word: Word, values: Readonly<Record<string, string | number>> = {}): string {
  return words[word][language.value === "en" ? 0 : 1].replace(
    /\{(\w+)(?: ([^|}]+)\|([^}]+))?\}/g,
    (whole, name: string, one?: string, several?: string) => {
      if (!Object.hasOwn(values, name)) return whole;
      const value = String(values[name]);
      return one === undefined ? value : `${value} ${value === "1" ? one : several}`;
    },
  );
}
