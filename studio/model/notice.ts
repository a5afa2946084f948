// A message below the page, and read out.

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

/** Milliseconds for which a sentence of the page's own is shown. */
const SHOWN = 8000;

let timer = 0;

/** Shows a sentence of the page's own. */
export function report(...said: Parameters<typeof say>): void {
  show({ text: say(...said) });
}

/** Shows a message. One that offers a click, or has the tool's own words, stays until a person closes it or another follows. */
export function show(shown: Notice): void {
  notice.value = shown;
  clearTimeout(timer);
  if (!isLasting(shown)) timer = window.setTimeout(closeNotice, SHOWN);
}

export function closeNotice(): void {
  notice.value = { text: "" };
}

/** Nobody reads a command, or finds a button, against the clock. */
export function isLasting({ original, undo, next }: Notice): boolean {
  return original !== undefined || undo !== undefined || next !== undefined;
}

export function reportFailure(error: unknown): void {
  const { message, original } = failureWords(failureOf(error));
  show({ text: say("failed", { message }), original });
}
