// Questions about lists that are nearly always short: a short list is scanned, a long one becomes a Set or a Map, so that
// a list that an attacker makes long takes linear time.

/** Up to this many items, scanning a list is faster than making a Set of it, and always fast enough. */
const MAX_SCANNED = 16;

/**
 * Whether an item is in a list, asked many times.
 *
 * @example
 * ```ts
 * lookup(["a", "b"]).has("b") // => true
 * ```
 */
export function lookup<T>(list: readonly T[]): Pick<ReadonlySet<T>, "has"> {
  return list.length > MAX_SCANNED ? new Set(list) : { has: (item) => list.includes(item) };
}

/**
 * Finds items of a list by a key that they have; the first of a key counts.
 *
 * @example
 * ```ts
 * lookupBy([{ id: 1 }, { id: 2 }], ({ id }) => id)(2) // => { id: 2 }
 * ```
 */
export function lookupBy<T, Key>(list: readonly T[], keyOf: (item: T) => Key): (key: Key) => T | undefined {
  if (list.length <= MAX_SCANNED) return (key) => list.find((item) => keyOf(item) === key);
  const byKey = new Map<Key, T>();
  for (const item of list) {
    const key = keyOf(item);
    if (!byKey.has(key)) byKey.set(key, item);
  }
  return (key) => byKey.get(key);
}

/**
 * A function that is called with one text after the other, and says of each whether it was called with it before.
 *
 * @param count how many texts to expect
 * @example
 * ```ts
 * ["a", "b", "a"].map(seenBefore(3)) // => [false, false, true]
 * ```
 */
export function seenBefore(count: number): (text: string) => boolean {
  if (count > MAX_SCANNED) {
    const seen = new Set<string>();
    return (text) => seen.size === seen.add(text).size;
  }
  const seen: string[] = [];
  return (text) => seen.includes(text) || seen.push(text) === 0;
}
