// Which item of a list is which of another one: the one rule of the patch, the differences and the studio.

import { isObject, type JsonValue } from "@outrigger/base";

/**
 * Returns, for positions in `after`, the position of the item with the same key in `before`, in the order of `after`.
 * If several items have one key, the first is paired with the first.
 *
 * @param start how many items at the start are left out
 * @param end how many at the end
 */
export function alignItems<Item>(
  before: readonly Item[],
  after: readonly Item[],
  keyOf: (item: Item) => unknown,
  start = 0,
  end = 0,
): ReadonlyMap<number, number> {
  const waiting = new Map<unknown, number[]>();
  for (let at = before.length - end - 1; at >= start; at--) {
    const key = keyOf(before[at] as Item);
    const positions = waiting.get(key);
    if (positions === undefined) waiting.set(key, [at]);
    else positions.push(at);
  }
  const sources = new Map<number, number>();
  for (let at = start; at < after.length - end; at++) {
    const source = waiting.get(keyOf(after[at] as Item))?.pop();
    if (source !== undefined) sources.set(at, source);
  }
  return sources;
}

/** Items that are not objects or have no key share one key: they are paired in order. */
export function mergeKeyOf(item: JsonValue, mergeKey: string): JsonValue | undefined {
  return isObject(item) && Object.hasOwn(item, mergeKey) ? item[mergeKey] : undefined;
}
