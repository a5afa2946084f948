// Holds each Chinese page against its English twin: the same commands, the same outline, links within its language. The English one is run.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { codeBlocks, pages, ROOT, textOf } from "./code-blocks.ts";
import { TWINS } from "./twins.ts";

const EACH = [...TWINS];

describe("Chinese pages", () => {
  it("are the twins of pages, and no other", () => {
    expect(EACH.length).toBeGreaterThan(20);
    expect(
      pages()
        .filter((page) => page.includes("zh-CN"))
        .sort(),
    ).toEqual([...TWINS.values()].sort());
  });

  it.each(EACH)("%s has a twin with the same commands and the same outline", (page, twin) => {
    expect(existsSync(join(ROOT, twin)), twin).toBe(true);
    const [english, chinese] = [textOf(page), textOf(twin)];
    // A block in a list is indented in one of the two.
    const blocks = (text: string) =>
      codeBlocks(text).map((block) => ({ ...block, line: 0, text: block.text.replaceAll(/^ {3}/gm, "") }));
    const outline = (text: string) => [...text.matchAll(/^(#+) /gm)].map(([, level]) => level);
    expect(blocks(chinese)).toEqual(blocks(english));
    expect(outline(chinese)).toEqual(outline(english));
  });

  it.each(EACH)("%s has tables of as many rows in its twin", (page, twin) => {
    const rows = (text: string) => [...text.matchAll(/^ *\|.*\|$/gm)].length;
    expect(rows(textOf(twin))).toBe(rows(textOf(page)));
  });

  it.each(EACH)("the twin of %s links to the twin of a page, and says which pages are English", (page, twin) => {
    const links = [...textOf(twin).matchAll(/\]\((?!https?:|#)([^)#\s]+\.md)[^)\s]*\)(.{0,4})/g)];
    const targets = links.map(([, file = "", after = ""]) => ({ target: join(twin, "..", file), after }));
    expect(targets.filter(({ target }) => target !== page && TWINS.has(target))).toEqual([]);
    const unmarked = targets.filter(({ target, after }) => /^docs\/(?!zh-CN)/.test(target) && !after.includes("英文"));
    expect(unmarked).toEqual([]);
  });
});
