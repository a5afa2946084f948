// Which items of a list are which of an edited one: the same value, or objects of the same name. Order is kept, so that an
// edit only inserts and removes.

import { isObject, type JsonObject, type JsonValue, jsonEqual } from "@outrigger/base";

/** The most comparisons for a smaller edit: more are not worth it. */
const MAX_COMPARISONS = 4_000_000;

/**
 * Aligns two lists: each item of the new one, and the position of the item that it was. Items that no item of the old list is are
 * new; positions of old items only grow.
 *
 * @example
 * ```ts
 * alignLists([{ name: "a" }, { name: "b" }], [{ name: "c" }, { name: "b", x: 1 }]) // => [{ before: undefined, after: { name: "c" } }, { before: 1, after: { name: "b", x: 1 } }]
 * ```
 */
export function alignLists(before: readonly JsonValue[], after: readonly JsonValue[]) {
  let start = 0;
  while (start < before.length && isSame(before[start], after[start])) start += 1;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && isSame(before.at(-1 - end), after.at(-1 - end))) end += 1;
  const middle = longestCommon(before.slice(start, before.length - end), after.slice(start, after.length - end));
  return after.map((item, index): { readonly before: number | undefined; readonly after: JsonValue } => {
    const fromEnd = after.length - index;
    if (index < start) return { before: index, after: item };
    if (fromEnd <= end) return { before: before.length - fromEnd, after: item };
    const found = middle[index - start];
    return { before: found === undefined ? undefined : found + start, after: item };
  });
}

/** Returns the position in `before` for each item of `after` that is in the longest common subsequence. */
function longestCommon(before: readonly JsonValue[], after: readonly JsonValue[]): readonly (number | undefined)[] {
  if (before.length === 0 || after.length === 0) return [];
  if (before.length * after.length > MAX_COMPARISONS) return [];
  // lengths[i][j]: the longest common sequence of before from i on and after from j on.
  const width = after.length + 1;
  const lengths = new Uint32Array((before.length + 1) * width);
  const lengthAt = (i: number, j: number): number => lengths[i * width + j] as number;
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] = isSame(before[i], after[j])
        ? lengthAt(i + 1, j + 1) + 1
        : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1));
    }
  }
  const found: (number | undefined)[] = [];
  let i = 0;
  for (let j = 0; j < after.length; ) {
    if (i < before.length && isSame(before[i], after[j])) found[j++] = i++;
    else if (i < before.length && lengthAt(i + 1, j) >= lengthAt(i, j + 1)) i += 1;
    else found[j++] = undefined;
  }
  return found;
}

/** Whether two values are one item, perhaps changed. Objects are compared by their name if they have one. */
export function isSame(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (isObject(a) && isObject(b)) {
    const [first, second] = [identityOf(a), identityOf(b)];
    if (first !== undefined || second !== undefined) return first === second;
  }
  return jsonEqual(a, b);
}

/**
 * Returns what Kubernetes merges the lists of a pod by. A mount has a name too, but several mounts may share it. An
 * item of a List is known by its kind, namespace and name.
 */
function identityOf(item: JsonObject): JsonValue | undefined {
  const { kind, metadata } = item;
  if (kind !== undefined && isObject(metadata))
    return JSON.stringify([kind, metadata["namespace"] ?? "", metadata["name"] ?? metadata["generateName"] ?? ""]);
  return item["mountPath"] ?? item["name"] ?? item["containerPort"];
}

/** The first and last position of a run. */
export type Run = readonly [number, number];

/** Groups positions that follow each other into runs. */
export function runs(positions: readonly number[]): readonly Run[] {
  const found: [number, number][] = [];
  for (const position of positions) {
    const last = found.at(-1);
    if (last !== undefined && last[1] === position - 1) last[1] = position;
    else found.push([position, position]);
  }
  return found;
}

/**
 * Returns, for each new item, the position of the item that it was. Between two items that are kept, removed and new
 * items without a name are paired too: a changed argument is written in its old place.
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
