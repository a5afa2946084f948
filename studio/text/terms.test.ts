// The studio's messages have the words of the pages: docs/reference/terms.json.
import { expect, it } from "vitest";
import { textOf } from "../../test/pages/code-blocks.ts";
import { missingTerms, secondChinese, secondEnglish } from "../../test/support/terms.ts";
import { type Word, words } from "./words.ts";

/** Where the English word is another than the term: a verb, a path. */
const OTHERWISE: readonly string[] = ["page.edit", "new.placeholder"];

it.each(Object.keys(words) as Word[])("the message %s has one word for a term, in both languages", (key) => {
  const [en, zh] = words[key];
  expect([...secondEnglish(en), ...secondChinese(zh)]).toEqual([]);
  // `{channel}` is a name to come, no word.
  const english = OTHERWISE.includes(key) ? "" : en.replaceAll(/\{\w+\}/g, "");
  expect(missingTerms(english, zh, 1)).toEqual([]);
});

it("the truth table says the same in Chinese, in the studio's words", () => {
  const said = Object.entries(words).flatMap(([key, [en, zh]]) =>
    key.startsWith("cell.") ? [[en.replace("-inject", ""), zh] as const] : [],
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
