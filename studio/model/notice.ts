// A message that is shown for a while, and read out.

import { signal } from "@preact/signals";
import { say } from "../text/say.ts";
import type { Move } from "../wire.ts";
import { failureOf, failureWords } from "./failure.ts";

export interface Notice {
  readonly text: string;
  /** The tool's own words, which are English. */
  readonly original?: string | undefined;
  readonly undo?: () => void;
  /** What may follow, with one click. */
  readonly next?: Extract<Move, { readonly action: "promote" }> | undefined;
}

export const notice = signal<Notice>({ text: "" });

/** Milliseconds for which a message is shown. */
const SHOWN = 8000;

let timer = 0;

/** Shows a sentence of the page's own. */
export function report(...said: Parameters<typeof say>): void {
  show({ text: say(...said) });
}

export function show(shown: Notice): void {
  notice.value = shown;
  clearTimeout(timer);
  timer = window.setTimeout(() => {
    notice.value = { text: "" };
  }, SHOWN);
}

export function reportFailure(error: unknown): void {
  const { message, original } = failureWords(failureOf(error));
  show({ text: say("failed", { message }), original });
}
