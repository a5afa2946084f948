// What a language of the page consists of. A language that lacks texts says so by its kind, `partial`: the page shows the English ones.

import type { ErrorCode } from "@outrigger/base";
import type { englishWords } from "./en.ts";

/** The name of a text of the page. */
export type Word = keyof typeof englishWords;

/** A text that CodeMirror shows, in its own English. */
type EditorPhrase =
  | "$ unchanged lines"
  | "Revert this chunk"
  | "Completions"
  | "Diagnostics"
  | "No diagnostics"
  | "Find"
  | "Replace"
  | "next"
  | "previous"
  | "all"
  | "match case"
  | "regexp"
  | "by word"
  | "replace"
  | "replace all"
  | "close"
  | "Go to line"
  | "go";

interface Named {
  /** The language's name in itself, as the button that chooses it shows it. */
  readonly name: string;
  /** The tag for the page's `lang` attribute, such as `zh-CN`. */
  readonly htmlLang: string;
  /** The tag that dates and ages are formatted for, such as `en-GB`. */
  readonly dateLocale: string;
}

/** What the codes of errors mean: the page shows it before the tool's own words. `other` is shown for a code that has none. */
type ErrorMeanings = Readonly<Partial<Record<ErrorCode, string>> & { other: string }>;

/** English, which CodeMirror's texts and the messages of errors are in too. */
interface OriginalTexts extends Named {
  readonly kind: "original";
  readonly words: Readonly<Record<Word, string>>;
  readonly editorPhrases: Readonly<Record<string, never>>;
  readonly errorMeanings?: never;
}

interface CompleteTexts extends Named {
  readonly kind: "complete";
  readonly words: Readonly<Record<Word, string>>;
  readonly editorPhrases: Readonly<Record<EditorPhrase, string>>;
  readonly errorMeanings: ErrorMeanings;
}

/** A language that is being translated: the page shows the English text where there is none yet. */
interface PartialTexts extends Named {
  readonly kind: "partial";
  readonly words: Readonly<Partial<Record<Word, string>>>;
  readonly editorPhrases: Readonly<Partial<Record<EditorPhrase, string>>>;
  readonly errorMeanings: ErrorMeanings;
}

export type LanguageTexts = OriginalTexts | CompleteTexts | PartialTexts;
