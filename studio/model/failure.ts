// What went wrong, as the server said it: a code, which every language has words for, and its own words, which are English.

import { say, texts } from "../text/say.ts";

export interface Failure {
  /** Empty where it has none: of the page itself, of the browser. */
  readonly code: string;
  readonly words: string;
  /** What a report of a fault needs. */
  readonly detail?: string | undefined;
}

/** Thrown where the studio answers with an error. */
export class ApiError extends Error {
  override name = "ApiError";
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.words);
    this.failure = failure;
  }
}

/** What fetch throws where there is no answer at all. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof TypeError;
}

export function failureOf(error: unknown): Failure {
  if (isUnanswered(error)) return { code: "unanswered", words: say("unanswered") };
  if (error instanceof ApiError) return error.failure;
  return { code: "", words: error instanceof Error ? error.message : String(error) };
}

/**
 * The failure as it is shown: in the reader's language, and the tool's own words where they are in another one. Those name the thing
 * and the way out: they are never left out.
 */
export function failureWords({ code, words }: Failure): { readonly message: string; readonly original?: string } {
  const meanings = texts.value.errorMeanings;
  if (meanings === undefined || code === "unanswered") return { message: words };
  const known = Object.entries(meanings).find(([one]) => one === code)?.[1];
  return { message: known ?? meanings.other, original: words };
}
