// Which lines of a text another has not: those of the injected pod that the injection wrote, or that another value would change.

import { diffArrays } from "diff";

/** 1-based numbers of the lines that only the second text has. */
export function addedLines(before: string, after: string): readonly number[] {
  if (before === after) return [];
  let line = 1;
  return diffArrays(before.split("\n"), after.split("\n")).flatMap(({ added, removed, count = 0 }) => {
    if (removed) return [];
    const first = line;
    line += count;
    return added ? Array.from({ length: count }, (_, index) => first + index) : [];
  });
}
