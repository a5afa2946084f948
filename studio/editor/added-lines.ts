// Which lines of the injected pod the injection wrote.

import { diffArrays } from "diff";

/** 1-based numbers of the lines that only the second text has. */
export function addedLines(before: string, after: string): readonly number[] {
  let line = 1;
  return diffArrays(before.split("\n"), after.split("\n")).flatMap(({ added, removed, count = 0 }) => {
    if (removed) return [];
    const first = line;
    line += count;
    return added ? Array.from({ length: count }, (_, index) => first + index) : [];
  });
}
