// The commands of a documentation page with what it says they print, and how the two are compared.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { CALLER } from "./fake-aws.ts";

export interface PageStep {
  readonly command: string;
  /** The output that a page shows after the command; the text of a here-document is part of it. */
  readonly shown: string;
}

/** @param page below docs/ */
export function stepsOf(page: string): readonly PageStep[] {
  const text = readFileSync(fileURLToPath(new URL(`../../docs/${page}`, import.meta.url)), "utf8");
  return [...text.matchAll(/```console\n([\s\S]*?)```/g)]
    .flatMap(([, block = ""]) => block.split(/^\$ /m).slice(1))
    .map((step) => ({ command: step.slice(0, step.indexOf("\n")), shown: step.slice(step.indexOf("\n") + 1) }));
}

/** The words of a command line; double quotes keep blanks together. */
export function wordsOf(command: string): readonly string[] {
  return [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? "");
}

/** The text without what differs each time: digests, times, sizes, and the width of columns. */
export function settled(text: string): string {
  return text
    .replaceAll(/\b[0-9a-f]{12}\b/g, "DIGEST")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replaceAll(/(?<=[: ])\d+[smhd]\b/g, "AGE")
    .replaceAll(/Used: \d.*/g, "Used: SIZE")
    .replaceAll(CALLER, "CALLER")
    .replaceAll(/ {3,}/g, "   ");
}

/** A line `…` is any lines. */
export function pattern(text: string): RegExp {
  const parts = text.split(/^…\n/m).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("[\\s\\S]*")}$`);
}
