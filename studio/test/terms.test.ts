// The studio's messages have the words of the pages: docs/reference/terms.json, and the words of each language's translation of the docs.
import { describe, expect, it } from "vitest";
import { textOf } from "../../test/pages/code-blocks.ts";
import { missingTerms, secondEnglish, secondWords, translationTo } from "../../test/support/terms.ts";
import { englishWords } from "../text/en.ts";
import type { Word } from "../text/language-texts.ts";
import { isLanguage, languages, textsOf } from "../text/languages.ts";
import { chinese } from "../text/zh.ts";

const WORDS = Object.entries(englishWords) as readonly [Word, string][];

/** The messages whose English word is not the term: a verb, a path. */
const OTHERWISE: readonly string[] = ["page.edit", "new.placeholder"];

/** The languages of the page that the docs are translated to as well. */
const TRANSLATED = Object.keys(languages)
  .filter(isLanguage)
  .flatMap((language) => {
    const texts = textsOf(language);
    const translation = translationTo(texts.htmlLang);
    return translation === undefined ? [] : [{ language, texts, translation }];
  });

it.each(WORDS)("the message %s has no second word for a term", (_, english) => {
  expect(secondEnglish(english)).toEqual([]);
});

describe.each(TRANSLATED)("in $language", ({ texts, translation }) => {
  it.each(WORDS)("the message %s has the language's word for a term", (key, words) => {
    const text = texts.words[key];
    if (text === undefined) return;
    expect(secondWords(translation, text)).toEqual([]);
    // `{channel}` is a name to come, no word.
    const english = OTHERWISE.includes(key) ? "" : words.replaceAll(/\{\w+\}/g, "");
    expect(missingTerms(translation, english, text, 1)).toEqual([]);
  });
});

it("the truth table says the same in Chinese, in the studio's words", () => {
  const said = WORDS.flatMap(([key, en]) =>
    key.startsWith("cell.") ? [[en.replace("-inject", ""), chinese.words[key] ?? ""] as const] : [],
  );
  const cellWords = new Map<string, string>(said);
  const rows = (page: string) =>
    [...textOf(page).matchAll(/^\| (.*)(?:: |：)`([\w-]+)` \|$/gm)].map(([, row = "", reason = ""]) =>
      [...row.split(" | "), reason].map((cell) => cell.replaceAll("`", "")),
    );
  const english = rows("docs/configuration.md");
  expect(english).toHaveLength(9);
  expect(rows("docs/zh-CN/configuration.md")).toEqual(
    english.map((row) => row.map((cell) => cellWords.get(cell) ?? cell)),
  );
});
