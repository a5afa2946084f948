// The pages have one word for one thing, in each language: docs/reference/terms.json and scripts/site/translations, of which the tables
// of docs/glossary.md are made. UPDATE_GOLDEN=1 npx vitest run --project unit test/pages/terms
import { describe, expect, it } from "vitest";
import { TRANSLATIONS } from "../../scripts/site/translations.ts";
import { expectRows } from "../support/page-rows.ts";
import { missingTerms, secondEnglish, secondWords, TERMS, termWord } from "../support/terms.ts";
import { pages, textOf } from "./code-blocks.ts";
import { wordsOf } from "./page-words.ts";
import { TWINS } from "./twins.ts";

/** The terms that a page uses in another sense: Istio's releases, values of any kind. */
const OTHERWISE: Readonly<Record<string, readonly string[]>> = {
  "README.md": ["values"],
  "docs/tasks/change-proxy-image.md": ["release"],
  "docs/tasks/upgrade-istio.md": ["release"],
  "docs/differences.md": ["release"],
  "docs/tasks/move-from-app-mesh.md": ["gateway"],
};

/** Returns the text of a page without code, places of links and quotations, which name a word and do not use it. */
function proseOf(page: string): string {
  return textOf(page).replaceAll(/^ *```[\s\S]*?^ *```$|`[^`\n]*`|\]\([^)\s]*\)|<!--[\s\S]*?-->|「[^」]*」/gm, " ");
}

describe("docs/reference/terms.json", () => {
  const english = TERMS.map((term) => term.english);
  const repeated = (words: readonly string[]) => words.filter((word, at) => words.indexOf(word) !== at);

  it("has each term once, and refuses none of them", () => {
    expect(repeated(english)).toEqual([]);
    expect(english.flatMap((term) => secondEnglish(term))).toEqual([]);
  });

  it.each(Object.entries(TRANSLATIONS))(
    "has terms with one word each in %s, which refuses none of them",
    (_, translation) => {
      const { of, words } = translation.terms;
      expect(Object.keys(words).filter((term) => !english.includes(term))).toEqual([]);
      if (of === "glossary") expect(english.filter((term) => !Object.hasOwn(words, term))).toEqual([]);
      const own = Object.keys(words).map((term) => termWord(translation, term)?.word ?? "");
      expect(repeated(own)).toEqual([]);
      expect(own.flatMap((word) => secondWords(translation, word))).toEqual([]);
    },
  );

  const columns = Object.values(TRANSLATIONS).filter(({ terms }) => terms.of === "glossary");

  it.each([
    ["edited", ["meaning"]],
    ["injection", ["meaning"]],
    ["field", []],
  ] as const)("is the table %s of docs/glossary.md", (name, last) => {
    const headings = ["term", ...columns.map(({ label }) => label), ...last];
    const rows = TERMS.filter(({ section }) => section === name).map(({ english: term, meaning = "" }) =>
      [term, ...columns.map((column) => termWord(column, term)?.word ?? ""), meaning].slice(0, headings.length),
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

describe("a translated page", () => {
  it.each(TWINS)("$twin has no second word for a term", ({ twin, translation }) => {
    expect(secondWords(translation, proseOf(twin))).toEqual([]);
  });

  it.each(TWINS)("$twin has the terms of $page", ({ page, twin, translation }) => {
    // A term that is named once may be said otherwise.
    const missing = missingTerms(translation, proseOf(page), proseOf(twin), 2);
    expect(missing.filter((term) => !OTHERWISE[page]?.includes(term))).toEqual([]);
  });
});
