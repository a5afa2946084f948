// A message that is shown for a while, and read out.

import { signal } from "@preact/signals";
import { say } from "../text/say.ts";

export const notice = signal("");

/** Milliseconds for which a message is shown. */
const SHOWN = 8000;

let timer = 0;

/** Shows a sentence of the page's own. */
export function report(...said: Parameters<typeof say>): void {
  show(say(...said));
}

/** Shows a sentence of the server. */
export function show(text: string): void {
  notice.value = text;
  clearTimeout(timer);
  timer = window.setTimeout(() => {
    notice.value = "";
  }, SHOWN);
}

export function reportFailure(error: unknown): void {
  report("failed", { message: messageOf(error) });
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
