// How many clicks a page is from another one.
import { dirname, join } from "node:path";

export interface PageTexts {
  readonly pages: readonly string[];
  readonly textOf: (page: string) => string;
}

/** Returns the fewest clicks from `start` to each page. A page that no link leads to is missing; a block shows a link and has none. */
export function clicksFrom(start: string, { pages, textOf }: PageTexts): ReadonlyMap<string, number> {
  const clicks = new Map([[start, 0]]);
  for (const [page, count] of clicks)
    for (const [, link = ""] of textOf(page)
      .replaceAll(/^ *```[\s\S]*?^ *```$/gm, "")
      .matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)) {
      const target = join(dirname(page), link);
      for (const each of [target, join(target, "README.md")])
        if (pages.includes(each) && !clicks.has(each)) clicks.set(each, count + 1);
    }
  return clicks;
}

/** The page that a link with this text leads to from another one; undefined where there is none. */
export function linkBy(text: string, page: string, textOf: PageTexts["textOf"]): string | undefined {
  const links = textOf(page).matchAll(/\[([^\]]+)\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g);
  const found = [...links].find(([, shown = ""]) => shown.replaceAll(/\s+/g, " ") === text);
  return found?.[2] === undefined ? undefined : join(dirname(page), found[2]);
}
