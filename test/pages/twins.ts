// Which pages are in Chinese too: the README, the tasks, and what a task's reader opens next.
import { pages } from "./code-blocks.ts";

const TRANSLATED = [
  "docs/configuration.md",
  "docs/differences.md",
  "docs/operations.md",
  ...pages().filter((page) => /^docs\/(?:tasks|runbooks)\//.test(page)),
];

/** Page → the same in Chinese. */
export const TWINS: ReadonlyMap<string, string> = new Map([
  ["README.md", "README.zh-CN.md"],
  ...TRANSLATED.map((page) => [page, page.replace("docs/", "docs/zh-CN/")] as const),
]);
