// Which item of a list takes the place of which: the aligned ones, and between them those that have no name.

import { isObject, type JsonValue } from "@outrigger/base";
import { alignLists } from "./align-lists.ts";

/**
 * For each new item, the position of the one that it was. Between two that are kept, what is removed and what is new are
 * paired too where neither has a name: a changed argument is written in its old place.
 */
export function pairUp(before: readonly JsonValue[], after: readonly JsonValue[]): readonly (number | undefined)[] {
  const pairs: (number | undefined)[] = alignLists(before, after).map((item) => item.before);
  const limits: number[] = [];
  for (let index = pairs.length - 1, limit = before.length; index >= 0; index -= 1) {
    limits[index] = limit;
    limit = pairs[index] ?? limit;
  }
  let free = 0;
  for (const [index, known] of pairs.entries()) {
    if (known !== undefined) free = known + 1;
    else if (free < (limits[index] as number) && isLike(before[free], after[index])) pairs[index] = free++;
  }
  return pairs;
}

function isLike(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return !isObject(a) && !isObject(b) && Array.isArray(a) === Array.isArray(b);
}
