// What went wrong, as the server said it: a code, which every language has words for, and its own words, which are English.

import { language } from "../text/say.ts";
import { zhMeanings } from "../text/zh-meanings.ts";

export interface Failure {
  /** Empty where it has none: of the page itself, of the browser. */
  readonly code: string;
  readonly words: string;
}

/** Thrown where the studio answers with an error. */
export class ApiError extends Error {
  override name = "ApiError";
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export function failureOf(error: unknown): Failure {
  const words = error instanceof Error ? error.message : String(error);
  return { code: error instanceof ApiError ? error.code : "", words };
}

export interface FailureWords {
  /** In the reader's language. */
  readonly message: string;
  /** The tool's own words, where they are in another language. */
  readonly original?: string;
}

/** The failure as it is shown. The tool's words name the thing and the way out: they are never left out. */
export function failureWords({ code, words }: Failure): FailureWords {
  if (language.value === "en") return { message: words };
  const known = Object.entries(zhMeanings).find(([one]) => one === code)?.[1];
  return { message: known ?? zhMeanings.other, original: words };
}
