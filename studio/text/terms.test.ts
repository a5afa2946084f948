// The studio's messages have the words of the pages: docs/reference/terms.json.
import { expect, it } from "vitest";
import { textOf } from "../../test/pages/code-blocks.ts";
import { missingTerms, secondChinese, secondEnglish } from "../../test/support/terms.ts";
import { en } from "./en.ts";
import { zh } from "./zh.ts";

/** Where the English word is another than the term: a verb, a path. */
const OTHERWISE: readonly string[] = ["page.edit", "new.placeholder"];

it.each(Object.keys(en) as (keyof typeof en)[])("the message %s has one word for a term, in both languages", (key) => {
  expect([...secondEnglish(en[key]), ...secondChinese(zh[key])]).toEqual([]);
  // `{channel}` is a name to come, no word.
  const english = OTHERWISE.includes(key) ? "" : en[key].replaceAll(/\{\w+\}/g, "");
  expect(missingTerms(english, zh[key], 1)).toEqual([]);
});

it("the truth table says the same in Chinese, in the studio's words", () => {
  const cells = Object.keys(en).filter((key): key is keyof typeof en => key.startsWith("cell."));
  const words = new Map<string, string>(cells.map((key) => [en[key].replace("-inject", ""), zh[key]]));
  const rows = (page: string) =>
    [...textOf(page).matchAll(/^\| (.*)(?:: |：)`([\w-]+)` \|$/gm)].map(([, row = "", reason = ""]) =>
      [...row.split(" | "), reason].map((cell) => cell.replaceAll("`", "")),
    );
  const english = rows("docs/configuration.md");
  expect(english).toHaveLength(9);
  expect(rows("docs/zh-CN/configuration.md")).toEqual(english.map((row) => row.map((cell) => words.get(cell) ?? cell)));
});
