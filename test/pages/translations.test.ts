// Holds each translated page against its English twin: the same commands, the same outline, links within its language. The English one is run.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { languageOf, TRANSLATIONS } from "../../scripts/site/translations.ts";
import { codeBlocks, pages, ROOT, textOf } from "./code-blocks.ts";
import { TWINS } from "./twins.ts";

describe("translated pages", () => {
  it("are those that scripts/site/translations.ts names, and no other", () => {
    expect(TWINS.length).toBeGreaterThan(20);
    const missing = TWINS.filter(({ twin }) => !existsSync(join(ROOT, twin))).map(({ twin }) => twin);
    const named = TWINS.map(({ twin }) => twin);
    const unnamed = pages().filter((page) => looksTranslated(page) && !named.includes(page));
    expect({ missing, unnamed }).toEqual({ missing: [], unnamed: [] });
    const unknown = TWINS.filter(({ page }) => !existsSync(join(ROOT, page))).map(({ page }) => page);
    expect(unknown).toEqual([]);
  });

  it.each(TWINS)("$twin has the commands and the outline of $page", ({ page, twin }) => {
    const [english, translated] = [textOf(page), textOf(twin)];
    // A block in a list is indented in one of the two.
    const blocks = (text: string) =>
      codeBlocks(text).map((block) => ({ ...block, line: 0, text: block.text.replaceAll(/^ {3}/gm, "") }));
    const outline = (text: string) => [...text.matchAll(/^(#+) /gm)].map(([, level]) => level);
    expect(blocks(translated)).toEqual(blocks(english));
    expect(outline(translated)).toEqual(outline(english));
  });

  it.each(TWINS)("$twin has tables of as many rows as $page", ({ page, twin }) => {
    const rows = (text: string) => [...text.matchAll(/^ *\|.*\|$/gm)].length;
    expect(rows(textOf(twin))).toBe(rows(textOf(page)));
  });

  it.each(TWINS)(
    "$twin links to pages of its language, and marks links to English ones",
    ({ page, twin, tag, translation }) => {
      const links = [...textOf(twin).matchAll(/\]\((?!https?:|#)([^)#\s]+\.md)[^)\s]*\)(.{0,20})/g)];
      const targets = links.map(([, file = "", after = ""]) => ({ target: join(twin, "..", file), after }));
      const translated = TWINS.filter((one) => one.tag === tag).map((one) => one.page);
      expect(targets.filter(({ target }) => target !== page && translated.includes(target))).toEqual([]);
      const isMarked = (after: string) => after.trimStart().slice(1).startsWith(translation.marksEnglish);
      const unmarked = targets.filter(
        ({ target, after }) => target.startsWith("docs/") && languageOf(target) === undefined && !isMarked(after),
      );
      expect(unmarked).toEqual([]);
    },
  );
});

/** Whether a page's path is that of a translation, be its language one of the project's or not: `docs/de/…`, `README.de.md`. */
function looksTranslated(page: string): boolean {
  const [, tag = ""] = /^docs\/([^/]+)\/|^README\.([\w-]+)\.md$/.exec(page)?.filter((part) => part !== undefined) ?? [];
  return tag in TRANSLATIONS || /^[a-z]{2}(-[A-Z]{2})?$/.test(tag);
}
