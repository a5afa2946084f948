// The languages of the docs besides English. A language is an entry here, a file with its words, and its pages below docs/<tag>/.

import type { Translation } from "./translation.ts";
import { chinese } from "./translations/zh-cn.ts";

/** The translations of the docs, by the tag of their language. */
export const TRANSLATIONS: Readonly<Record<string, Translation>> = { "zh-CN": chinese };

/** The path of a page in another language: `docs/zh-CN/<name>.md` of `docs/<name>.md`, `README.zh-CN.md` of `README.md`. */
export function translatedPath(page: string, tag: string): string {
  return page.startsWith("docs/") ? page.replace("docs/", `docs/${tag}/`) : page.replace(/\.md$/, `.${tag}.md`);
}

/** The tag of the language that a page is a translation to; undefined for a page in English. */
export function languageOf(page: string): string | undefined {
  return Object.keys(TRANSLATIONS).find((tag) => page.startsWith(`docs/${tag}/`) || page.endsWith(`.${tag}.md`));
}
