// The languages of the page. A language is an entry here, and a file with its texts.

import { englishWords } from "./en.ts";
import type { LanguageTexts, Word } from "./language-texts.ts";
import { chinese } from "./zh.ts";

/** Language → its texts, by the language's part of a browser's tag: `zh` of `zh-CN`. */
export const languages = {
  en: {
    name: "English",
    htmlLang: "en",
    dateLocale: "en-GB",
    kind: "original",
    words: englishWords,
    editorPhrases: {},
  },
  zh: chinese,
} as const satisfies Readonly<Record<string, LanguageTexts>>;

export type Language = keyof typeof languages;

export function isLanguage(text: string | undefined): text is Language {
  return text !== undefined && Object.hasOwn(languages, text);
}

/** The texts of a language. */
export function textsOf(language: Language): LanguageTexts {
  return languages[language];
}

/** The text for a word: English where the language has none, which only one of kind `partial` may lack. */
export function wordIn({ words }: LanguageTexts, word: Word): string {
  return words[word] ?? englishWords[word];
}
