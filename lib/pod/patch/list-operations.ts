// The operations that turn a list into another one, with items identified by their merge key. Items that are in both lists are
// returned as pairs, and not compared.

import type { JsonValue } from "@outrigger/base";
import { alignItems, mergeKeyOf } from "../diff/align-items.ts";
import { extendPointer, type PatchOperation } from "./patch-operation.ts";

export type List = readonly JsonValue[];

/** A patch that operations are appended to. */
export type Operations = PatchOperation[];

/** An item that is in both lists as different nodes. */
interface ItemPair {
  readonly before: JsonValue;
  readonly after: JsonValue;
  /** The item's position in the new list. */
  readonly position: number;
}

/** The most operations on one list. More of them take longer, here and in an API server, than a new list. */
const MAX_OPERATIONS = 256;

/**
 * Appends to `patch` the operations (remove, add, move) that put the new items in their order. Items that are in both lists
 * keep their old content. Where too many are necessary, appends none and returns undefined.
 *
 * Items with the same key are paired in their order, so duplicate keys are allowed. The longest run of items that are in
 * order stays; the others are moved.
 */
export function diffItems(before: List, after: List, mergeKey: string, pointer: string, patch: Operations) {
  const start = commonStart(before, after, mergeKey);
  const end = commonEnd(before, after, mergeKey, start);
  const beforeEnd = before.length - end;
  const afterEnd = after.length - end;
  const sources =
    start === beforeEnd || start === afterEnd
      ? NO_SOURCES
      : alignItems(before, after, (item) => mergeKeyOf(item, mergeKey), start, end);
  const kept = new Set(sources.values());
  const staying = longestRun([...sources.values()]);
  if (beforeEnd - start + (afterEnd - start) - kept.size - staying.size > MAX_OPERATIONS) return undefined;
  const pairs: ItemPair[] = [];
  pairUp(before, after, 0, 0, start, pairs);
  for (let at = beforeEnd - 1; at >= start; at--) {
    if (!kept.has(at)) patch.push({ op: "remove", path: extendPointer(pointer, at) });
  }
  // The current items of the list from `start` on, as positions in `before`.
  const current = [...kept].sort((a, b) => a - b);
  let next = 0;
  for (let at = start; at < afterEnd; at++) {
    const item = after[at] as JsonValue;
    const source = sources.get(at);
    if (source === undefined) {
      patch.push({ op: "add", path: extendPointer(pointer, start + next), value: item });
      current.splice(next, 0, NEW);
      next += 1;
      continue;
    }
    if (before[source] !== item) pairs.push({ before: before[source] as JsonValue, after: item, position: at });
    if (staying.has(source)) {
      next = current.indexOf(source, next) + 1;
      continue;
    }
    const from = current.indexOf(source);
    const to = from < next ? next - 1 : next;
    if (from !== to) {
      patch.push({ op: "move", from: extendPointer(pointer, start + from), path: extendPointer(pointer, start + to) });
      current.splice(from, 1);
      current.splice(to, 0, source);
    }
    next = to + 1;
  }
  pairUp(before, after, beforeEnd, afterEnd, end, pairs);
  return pairs;
}

const NEW = -1;
const NO_SOURCES: ReadonlyMap<number, number> = new Map();

/** The longest ascending subsequence: items that need not move. */
function longestRun(positions: readonly number[]): ReadonlySet<number> {
  const tails: number[] = [];
  const previous = new Map<number, number | undefined>();
  for (const position of positions) {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((tails[middle] as number) < position) low = middle + 1;
      else high = middle;
    }
    previous.set(position, tails[low - 1]);
    tails[low] = position;
  }
  const run = new Set<number>();
  for (let at = tails.at(-1); at !== undefined; at = previous.get(at)) run.add(at);
  return run;
}

function commonStart(before: List, after: List, mergeKey: string): number {
  const limit = Math.min(before.length, after.length);
  let start = 0;
  while (start < limit && isSameItem(before[start] as JsonValue, after[start] as JsonValue, mergeKey)) start += 1;
  return start;
}

function commonEnd(before: List, after: List, mergeKey: string, start: number): number {
  const limit = Math.min(before.length, after.length) - start;
  let end = 0;
  while (end < limit && isSameItem(before.at(-1 - end) as JsonValue, after.at(-1 - end) as JsonValue, mergeKey))
    end += 1;
  return end;
}

function pairUp(before: List, after: List, from: number, to: number, count: number, pairs: ItemPair[]): void {
  for (let at = 0; at < count; at++) {
    const old = before[from + at] as JsonValue;
    const item = after[to + at] as JsonValue;
    if (old !== item) pairs.push({ before: old, after: item, position: to + at });
  }
}

function isSameItem(before: JsonValue, after: JsonValue, mergeKey: string): boolean {
  return before === after || mergeKeyOf(before, mergeKey) === mergeKeyOf(after, mergeKey);
}
