// The pages have one word for one thing, in English and in Chinese: docs/reference/terms.json, of which the tables of docs/glossary.md
// are made. UPDATE_GOLDEN=1 npx vitest run --project unit test/pages/terms
import { describe, expect, it } from "vitest";
import { expectRows } from "../support/page-rows.ts";
import { missingTerms, secondChinese, secondEnglish, TERMS } from "../support/terms.ts";
import { pages, textOf } from "./code-blocks.ts";
import { wordsOf } from "./page-words.ts";
import { TWINS } from "./twins.ts";

/** Where the English word is another than the term: Istio's releases, values of any kind. */
const OTHERWISE: Readonly<Record<string, readonly string[]>> = {
  "README.md": ["values"],
  "docs/tasks/change-proxy-image.md": ["release"],
  "docs/tasks/upgrade-istio.md": ["release"],
  "docs/differences.md": ["release"],
  "docs/tasks/move-from-app-mesh.md": ["gateway"],
};

/** Without code, places of links and quotations, which name a word and do not use it. */
function proseOf(page: string): string {
  return textOf(page).replaceAll(/^ *```[\s\S]*?^ *```$|`[^`\n]*`|\]\([^)\s]*\)|<!--[\s\S]*?-->|「[^」]*」/gm, " ");
}

describe("docs/reference/terms.json", () => {
  it("has each term once in each language, and refuses none of them", () => {
    for (const language of ["english", "chinese"] as const)
      expect(TERMS.map((term) => term[language]).filter((word, at, all) => all.indexOf(word) !== at)).toEqual([]);
    for (const { english, chinese } of TERMS)
      expect([...secondEnglish(english), ...secondChinese(chinese)]).toEqual([]);
  });

  it.each([
    ["edited", ["term", "中文", "meaning"]],
    ["injection", ["term", "中文", "meaning"]],
    ["field", ["term", "中文"]],
  ] as const)("is the table %s of docs/glossary.md", (name, headings) => {
    const terms = TERMS.filter(({ section }) => section === name);
    const rows = terms.map(({ english, chinese, meaning = "" }) =>
      [english, chinese, meaning].slice(0, headings.length),
    );
    expectRows({ page: "docs/glossary.md", name, headings, rows });
  });
});

describe("a page in English", () => {
  const read = pages().filter((page) =>
    wordsOf(page, textOf(page)).some(({ of }) => of === "users" || of === "generated"),
  );

  it.each(read)("%s has no second word for a term", (page) => {
    // What the commands say of themselves is in blocks of docs/cli.
    expect(secondEnglish(page.startsWith("docs/cli/") ? textOf(page) : proseOf(page))).toEqual([]);
  });
});

describe("a page in Chinese", () => {
  it.each([...TWINS.values()])("%s has no second word for a term", (page) => {
    expect(secondChinese(proseOf(page))).toEqual([]);
  });

  it.each([...TWINS])("has the terms of %s", (page, twin) => {
    // A term that is named once may be said otherwise.
    const missing = missingTerms(proseOf(page), proseOf(twin), 2);
    expect(missing.filter((term) => !OTHERWISE[page]?.includes(term))).toEqual([]);
  });
});
