// What a translation of the docs consists of. A language translates the pages that it names; the others are read in English.
import type { Kind, Reader } from "./kinds.ts";

export interface Translation {
  /** The language's name in itself. */
  readonly label: string;
  /** The pages that the language has: a path, or a folder with `/` at its end, all of whose pages it has. */
  readonly pages: readonly string[];
  /** The words for the kinds of pages. */
  readonly kinds: Readonly<Record<Kind, string>>;
  /** The words for those who need a page. */
  readonly readers: Readonly<Record<Reader, string>>;
  /** The line below the title of a page that says its kind and who needs it. */
  readonly kindLine: (kind: string, reader: string) => string;
  /** The text in brackets after a link to a page that is in English: `English` in the language. */
  readonly marksEnglish: string;
  readonly terms: Terms;
  /** The headings of the table of docs/differences.md, and its yes; undefined for a language without that page. */
  readonly differences?: { readonly heading: string; readonly yes: string };
  /** The texts of the site around the pages. */
  readonly site: SiteTexts;
}

interface Terms {
  /** `glossary`: each term of docs/reference/terms.json has a word, and a column of docs/glossary.md. `pages`: those of its pages have. */
  readonly of: "glossary" | "pages";
  /** The word for each English term. */
  readonly words: Readonly<Record<string, string | TermWord>>;
}

export interface TermWord {
  readonly word: string;
  /** Words that would be a second one for the term. */
  readonly not: readonly string[];
}

export interface SiteTexts {
  readonly tasks: string;
  readonly otherPages: string;
  /** The texts of the search: https://vitepress.dev/reference/default-theme-search. `english` leaves those of the generator. */
  readonly search: Readonly<Record<string, unknown>> | "english";
  /** The other texts: https://vitepress.dev/reference/default-theme-config. `english` leaves those of the generator. */
  readonly theme: Readonly<Record<string, unknown>> | "english";
}
