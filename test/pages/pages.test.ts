// Follows every page literally: shell blocks run in bash from an empty folder, and what a page says they print, they print.
// Blocks that need AWS, a cluster or a checkout are marked so, and are checked for commands, options and scripts that exist.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { languageOf } from "../../scripts/site/translations.ts";
import { pattern, settled } from "../cli/page-steps.ts";
import {
  anchorsOf,
  type CodeBlock,
  codeBlocks,
  isShell,
  MARKS,
  outriggerCalls,
  pages,
  ROOT,
  textOf,
} from "./code-blocks.ts";
import { openShell, type Shell } from "./shell.ts";
import { unknownWords } from "./unknown-words.ts";

/** Pages whose blocks are run by a test of their own, which knows what their reader has. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "README.md": "test/e2e/readme.test.ts",
  "docs/editing.md": "cli/test/editing-page.test.ts",
};

const SCRIPTS: Readonly<Record<string, string>> = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).scripts;

const PAGES = pages().map((page) => ({ page, blocks: codeBlocks(textOf(page)) }));
const isRun = ({ marks }: CodeBlock) => marks.every((mark) => mark === "server");
/** Whether a page is a translation. Its blocks are those of its English twin: translations.test.ts. */
const isTranslation = (page: string) => languageOf(page) !== undefined;

describe("every page", () => {
  it.each(PAGES)("$page marks what is not run by a reason that is known", ({ blocks }) => {
    for (const { marks, line, language } of blocks.filter(isShell))
      expect(
        marks.filter((mark) => !(mark in MARKS)),
        `line ${line}: ${language}`,
      ).toEqual([]);
  });

  it.each(PAGES)("$page closes each block with a bare fence: another one would be part of the block", ({ page }) => {
    const fences = [...textOf(page).matchAll(/^ *```(.*)$/gm)].map(([, words = ""]) => words.trim());
    expect(fences.filter((words, at) => at % 2 === 1 && words !== "")).toEqual([]);
    expect(fences.length % 2).toBe(0);
  });

  it.each(PAGES)("$page calls commands, options and scripts that exist", ({ page, blocks }) => {
    for (const block of blocks.filter(isShell)) {
      for (const call of outriggerCalls(block))
        expect(unknownWords(call), `${page}:${block.line}: outrigger ${call.join(" ")}`).toEqual([]);
      for (const [, script] of block.text.matchAll(/npm run ([\w:-]+)/g))
        expect(Object.keys(SCRIPTS), `${page}:${block.line}`).toContain(script);
    }
  });

  it.each(PAGES)("$page links to places that exist", ({ page }) => {
    // A block shows a text, which may be that of another page.
    const prose = textOf(page).replaceAll(/^ *```[\s\S]*?^ *```$/gm, "");
    for (const [, file = "", id = ""] of prose.matchAll(/\]\((?!https?:)([^)#\s]*)#?([^)\s]*)\)/g)) {
      const path = file === "" ? page : join(dirname(page), file);
      expect(existsSync(join(ROOT, path)), `${page}: ${file}`).toBe(true);
      if (id !== "" && path.endsWith(".md")) expect(anchorsOf(textOf(path)), `${page}: ${file}#${id}`).toContain(id);
    }
  });
});

describe.each(
  PAGES.filter(
    ({ page, blocks }) =>
      !(page in ELSEWHERE) && !isTranslation(page) && blocks.some((block) => isShell(block) && isRun(block)),
  ),
)("$page", ({ blocks }) => {
  let shell: Shell;
  beforeAll(async () => {
    shell = await openShell();
  });
  afterAll(() => shell.close());

  it("does what it says, from an empty folder", { timeout: 180_000 }, async () => {
    for (const [at, block] of blocks.entries()) {
      if (!isShell(block) || !isRun(block)) continue;
      if (block.marks.includes("server")) {
        await shell.start(block.text);
        continue;
      }
      const { code, output } = await shell.run(block.text);
      const shown = blocks[at + 1];
      const failure = /^# exit code (\d)$/m.exec(block.text)?.[1] ?? "0";
      expect(`${code}`, `line ${block.line}:\n${output}`).toBe(failure);
      if (shown?.language === "text")
        expect(settled(output), `line ${shown.line}`).toMatch(pattern(settled(shown.text)));
    }
  });
});
