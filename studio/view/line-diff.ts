// The lines of two texts as one list: kept, added, removed. Unchanged stretches are cut short.

import { diffArrays } from "diff";

export interface DiffLine {
  readonly mark: " " | "+" | "-" | "…";
  readonly text: string;
}

/** Unchanged lines kept around a change. */
const CONTEXT = 3;

export function lineDiff(before: string, after: string): readonly DiffLine[] {
  const parts = diffArrays(before.split("\n"), after.split("\n"));
  return parts.flatMap(({ added, removed, value }, index) => {
    const mark = added ? "+" : removed ? "-" : " ";
    const lines = value.map((text): DiffLine => ({ mark, text }));
    if (mark !== " " || lines.length <= 2 * CONTEXT + 1) return lines;
    const head = index === 0 ? [] : lines.slice(0, CONTEXT);
    const tail = index === parts.length - 1 ? [] : lines.slice(-CONTEXT);
    return [...head, { mark: "…", text: "" }, ...tail];
  });
}
