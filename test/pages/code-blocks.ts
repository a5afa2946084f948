// The code blocks of the pages for readers, and what happens to each: run, or only checked because it needs something that
// a test does not have. The info string of a fence says which: ```sh, ```sh aws, ```sh cluster, ```sh clone, ```sh server.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The marks of a block: what it may need that a test does not have, or how it is run. */
export const MARKS = {
  aws: "an AWS account",
  cluster: "a cluster",
  clone: "a checkout of Outrigger",
  server: "runs until the reader stops it",
  text: "not a command",
} as const;

export interface CodeBlock {
  readonly language: string;
  readonly marks: readonly string[];
  /** The text after the language, as it is written. */
  readonly details: string;
  readonly text: string;
  /** The number of the block's first line of text. */
  readonly line: number;
}

/** Paths below the project of README.md and of every page in docs/ and the folders below it that have pages. */
export function pages(): readonly string[] {
  const below = (folder: string): readonly string[] =>
    readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return below(path);
      return entry.name.endsWith(".md") ? [path] : [];
    });
  const top = readdirSync(ROOT).filter((name) => /^(README|CONTRIBUTING).*\.md$/.test(name));
  return [...top, ...below("docs")];
}

export function textOf(page: string): string {
  return readFileSync(join(ROOT, page), "utf8");
}

export function codeBlocks(markdown: string): readonly CodeBlock[] {
  const lines = markdown.split("\n");
  const blocks: CodeBlock[] = [];
  let opened:
    | (Pick<CodeBlock, "language" | "marks" | "details"> & { readonly at: number; readonly indent: number })
    | undefined;
  for (const [at, line] of lines.entries()) {
    const [, before = "", fence] = /^( *)```(.*)$/.exec(line) ?? [];
    if (fence === undefined) continue;
    if (opened === undefined) {
      const [language = "", ...marks] = fence.trim().split(/\s+/);
      const details = fence.trim().slice(language.length).trim();
      opened = { language, marks, details, at, indent: before.length };
    } else {
      const { indent, language, marks, details } = opened;
      // The reader of a block in a list copies it without the list's indentation.
      const inside = lines.slice(opened.at + 1, at).map((each) => each.slice(Math.min(indent, each.search(/\S|$/))));
      const text = inside.join("\n");
      blocks.push({ language, marks, details, text: `${text}\n`, line: opened.at + 2 });
      opened = undefined;
    }
  }
  return blocks;
}

export function isShell(block: CodeBlock): boolean {
  return block.language === "sh" || block.language === "bash" || block.language === "console";
}

/** The words of each call of `outrigger` in a block, without the program's name. */
export function outriggerCalls(block: CodeBlock): readonly (readonly string[])[] {
  const script = block.text.replaceAll(/\\\n\s*/g, " ").replaceAll(/<<\s*'?(\w+)'?[\s\S]*?^\1$/gm, "");
  return [...script.matchAll(/(?:^|[|;&(]|\$ )[ \t]*(?:npx )?outrigger[ \t]+([^|;&>)\n]*)/gm)].map(([, call = ""]) =>
    wordsOf(call.replace(/(^|\s)#.*$/, "")),
  );
}

function wordsOf(call: string): readonly string[] {
  return [...call.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? "",
  );
}

/** The anchors that GitHub makes of a page's headings. */
export function anchorsOf(markdown: string): readonly string[] {
  return [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
    title
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-"),
  );
}
