// Which pages are in other languages too: those that scripts/site/translations.ts names for each.
import type { Translation } from "../../scripts/site/translation.ts";
import { languageOf, TRANSLATIONS, translatedPath } from "../../scripts/site/translations.ts";
import { pages } from "./code-blocks.ts";

/** A page with its translation to one language. */
export interface Twin {
  /** The path of the page in English. */
  readonly page: string;
  /** The path of the same page in the language. */
  readonly twin: string;
  readonly tag: string;
  readonly translation: Translation;
}

export const TWINS: readonly Twin[] = Object.entries(TRANSLATIONS).flatMap(([tag, translation]) =>
  pagesOf(translation).map((page) => ({ page, twin: translatedPath(page, tag), tag, translation })),
);

function pagesOf(translation: Translation): readonly string[] {
  const english = pages().filter((page) => languageOf(page) === undefined);
  return translation.pages.flatMap((path) =>
    path.endsWith("/") ? english.filter((page) => page.startsWith(path)) : [path],
  );
}
