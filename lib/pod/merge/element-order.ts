// The order of items in a merged list: the overlay's order first, then the target's. Knows items only by their keys;
// strategic-merge.ts does the merging.
import type { JsonValue } from "@outrigger/base";

export type List = readonly JsonValue[];

/** Returns the key of a list's item: its merge key, or the item itself. */
export type KeyOf = (item: JsonValue) => unknown;

/** The first position of each key in a list. */
export type KeyIndex = ReadonlyMap<unknown, number>;

export function indexKeys(keys: readonly unknown[]): KeyIndex {
  const index = new Map<unknown, number>();
  for (let position = 0; position < keys.length; position++) {
    if (!index.has(keys[position])) index.set(keys[position], position);
  }
  return index;
}

/**
 * Puts the items of a merged list in order, as Kubernetes' `normalizeElementOrder` does: items that the overlay names
 * keep the overlay's order, the others the target's, and both are interleaved by their positions in the target. A new item
 * comes as early as possible: that is why an overlay's container is the first.
 *
 * @param merged the items, those of the target first
 * @param named keys in the order in which the overlay names them
 * @param target keys in the order in which the target had them
 */
export function orderItems(merged: List, keyOf: KeyOf, named: KeyIndex, target: KeyIndex): List {
  const isNamed = (item: JsonValue) => named.has(keyOf(item));
  const others = merged.filter((item) => !isNamed(item));
  const left = sortByIndex(others, keyOf, target);
  const right = sortByIndex(merged.filter(isNamed), keyOf, named);
  const ordered: JsonValue[] = [];
  let next = 0;
  for (const item of right) {
    const limit = target.get(keyOf(item)) ?? -1;
    while (next < left.length && (target.get(keyOf(left[next] as JsonValue)) ?? limit) < limit) {
      ordered.push(left[next++] as JsonValue);
    }
    ordered.push(item);
  }
  for (; next < left.length; next++) ordered.push(left[next] as JsonValue);
  return ordered;
}

function sortByIndex(items: List, keyOf: KeyOf, index: KeyIndex): List {
  const positions = items.map((item) => index.get(keyOf(item)) ?? -1);
  if (isAscending(positions)) return items;
  if (!positions.includes(-1)) {
    return items
      .map((item, at) => ({ item, position: positions[at] as number }))
      .sort((a, b) => a.position - b.position)
      .map(({ item }) => item);
  }
  return insertedByIndex(items, positions);
}

function isAscending(positions: readonly number[]): boolean {
  if (positions[0] === -1) return positions.length === 1;
  for (let at = 1; at < positions.length; at++) {
    if ((positions[at] as number) < (positions[at - 1] as number)) return false;
  }
  return true;
}

/**
 * Sorts by insertion. In the reference, an item without a position is smaller than every item, itself included: only
 * insertion sort shows this.
 */
function insertedByIndex(items: List, positions: readonly number[]): List {
  const sorted: JsonValue[] = [];
  const sortedPositions: number[] = [];
  items.forEach((item, from) => {
    const position = positions[from] as number;
    let at = sorted.length;
    while (at > 0 && isBefore(position, sortedPositions[at - 1] as number)) at -= 1;
    sorted.splice(at, 0, item);
    sortedPositions.splice(at, 0, position);
  });
  return sorted;
}

function isBefore(position: number, other: number): boolean {
  return position < 0 || other < 0 || position < other;
}
