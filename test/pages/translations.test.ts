// Holds each Chinese page against its English twin: the same commands, the same outline. The English one is run.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { codeBlocks, pages, ROOT, textOf } from "./code-blocks.ts";

const TASKS = pages().filter((page) => page.startsWith("docs/tasks/"));
const TWINS: readonly (readonly [string, string])[] = [
  ["README.md", "README.zh-CN.md"],
  ...TASKS.map((page) => [page, page.replace("docs/", "docs/zh-CN/")] as const),
];

describe("Chinese pages", () => {
  it("are those of the tasks and the README, and no other", () => {
    expect(TASKS.length).toBeGreaterThan(10);
    expect(
      pages()
        .filter((page) => page.includes("zh-CN"))
        .sort(),
    ).toEqual(TWINS.map(([, twin]) => twin).sort());
  });

  it.each(TWINS)("%s has a twin with the same commands and the same outline", (page, twin) => {
    expect(existsSync(join(ROOT, twin)), twin).toBe(true);
    const [english, chinese] = [textOf(page), textOf(twin)];
    // A block in a list is indented in one of the two.
    const blocks = (text: string) =>
      codeBlocks(text).map((block) => ({ ...block, line: 0, text: block.text.replaceAll(/^ {3}/gm, "") }));
    const outline = (text: string) => [...text.matchAll(/^(#+) /gm)].map(([, level]) => level);
    expect(blocks(chinese)).toEqual(blocks(english));
    expect(outline(chinese)).toEqual(outline(english));
  });
});
