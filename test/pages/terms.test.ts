// One word for one thing, in English and in Chinese: docs/reference/terms.json. The tables of docs/glossary.md are made of it:
// UPDATE_GOLDEN=1 npx vitest run --project unit test/pages/terms
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { wordsOf } from "../../scripts/site/page-kinds.ts";
import { en } from "../../studio/text/en.ts";
import { zh } from "../../studio/text/zh.ts";
import { pages, ROOT, textOf } from "./code-blocks.ts";
import { TWINS } from "./twins.ts";

interface Term {
  readonly section: "edited" | "injection" | "field";
  readonly english: string;
  readonly chinese: string;
  /** Missing where the term is not ours. */
  readonly meaning?: string;
  /** Words that would be a second one for it. */
  readonly notEnglish?: readonly string[];
  readonly notChinese?: readonly string[];
}

const TERMS: readonly Term[] = JSON.parse(textOf("docs/reference/terms.json"));

/** Where the English word is another than the term: Istio's releases, values of any kind, a verb, a path. */
const OTHERWISE: Readonly<Record<string, readonly string[]>> = {
  "README.md": ["values"],
  "docs/tasks/change-proxy-image.md": ["release"],
  "docs/tasks/upgrade-istio.md": ["release"],
  "docs/differences.md": ["release"],
  "docs/tasks/move-from-app-mesh.md": ["gateway"],
  "page.edit": ["edit"],
  "new.placeholder": ["template"],
};

/** Without code, places of links and quotations, which name a word and do not use it. */
function proseOf(page: string): string {
  return textOf(page).replaceAll(/^ *```[\s\S]*?^ *```$|`[^`\n]*`|\]\([^)\s]*\)|<!--[\s\S]*?-->|「[^」]*」/gm, " ");
}

describe("docs/glossary.md", () => {
  it("has every term", () => {
    const made = textOf("docs/glossary.md").replaceAll(
      /<!-- rows: (\w+) -->\n[\s\S]*?<!-- \/rows -->/g,
      (_, section: string) => `<!-- rows: ${section} -->\n${tableOf(section)}<!-- /rows -->`,
    );
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(join(ROOT, "docs/glossary.md"), made);
    expect(textOf("docs/glossary.md")).toBe(made);
    for (const { english } of TERMS) expect(made).toContain(`| ${english} |`);
  });
});

describe("docs/reference/terms.json", () => {
  it("has each term once, and no word of one as another's that is not to be used", () => {
    for (const language of ["english", "chinese"] as const)
      expect(TERMS.map((term) => term[language]).filter((word, at, all) => all.indexOf(word) !== at)).toEqual([]);
    const refused = TERMS.flatMap(({ notEnglish = [], notChinese = [] }) => [...notEnglish, ...notChinese]);
    expect(TERMS.filter(({ english, chinese }) => refused.includes(english) && refused.includes(chinese))).toEqual([]);
  });
});

describe("English", () => {
  const own = pages().filter((page) =>
    wordsOf(page, textOf(page)).some(({ of }) => of === "users" || of === "generated"),
  );
  // What the commands say of themselves is in blocks of docs/cli.
  const textToRead = (page: string) => (page.startsWith("docs/cli/") ? textOf(page) : proseOf(page));
  const texts = [
    ...own.map((page) => [page, textToRead(page)] as const),
    ["the studio", Object.values(en).join("\n")] as const,
  ];

  it.each(texts)("%s has no second word for a term", (_, text) => {
    const words = TERMS.flatMap(({ notEnglish = [] }) => notEnglish);
    expect(words.filter((word) => new RegExp(`\\b${word}\\b`).test(text))).toEqual([]);
  });
});

describe("Chinese", () => {
  const texts = [
    ...[...TWINS.values()].map((twin) => [twin, proseOf(twin)] as const),
    ["the studio", Object.values(zh).join("\n")] as const,
  ];

  it.each(texts)("%s has no second word for a term", (_, text) => {
    const words = TERMS.flatMap(({ notChinese = [] }) => notChinese);
    expect(words.filter((word) => text.includes(word))).toEqual([]);
  });

  it.each([...TWINS])("the twin of %s has the terms of its page", (page, twin) => {
    const [english, chinese] = [proseOf(page), proseOf(twin)];
    // A term that is named once may be said otherwise.
    const named = termsOf(page, english, 2);
    expect(named.filter((term) => !chinese.includes(term.chinese)).map((term) => term.english)).toEqual([]);
  });

  it.each(Object.entries(en))("the studio's message %s has the terms of the English one", (key, message) => {
    const named = termsOf(key, message.replaceAll(/\{\w+\}/g, ""), 1);
    const chinese = zh[key as keyof typeof en];
    expect(named.filter((term) => !chinese.includes(term.chinese)).map((term) => term.english)).toEqual([]);
  });
});

/** The terms that a text names as often, alone or in the plural. */
function termsOf(place: string, text: string, times: number): readonly Term[] {
  return TERMS.filter(
    ({ english }) =>
      !OTHERWISE[place]?.includes(english) &&
      [...text.matchAll(new RegExp(`\\b${english}s?\\b`, "gi"))].length >= times,
  );
}

function tableOf(section: string): string {
  const rows = TERMS.filter((term) => term.section === section);
  const cells = rows.map(({ english, chinese, meaning }) => [
    english,
    chinese,
    ...(meaning === undefined ? [] : [meaning]),
  ]);
  const heading = ["term", "中文", "meaning"].slice(0, cells[0]?.length);
  return [heading, heading.map(() => "---"), ...cells].map((row) => `| ${row.join(" | ")} |\n`).join("");
}
