// Finding items of lists that are nearly always short: a short list is scanned, a long one becomes a Map, so that a list that
// an attacker makes long takes linear time.

/**
 * The most items of a list that is scanned. Up to this many, scanning is faster than making a Map, and always fast
 * enough.
 */
const MAX_SCANNED = 16;

interface Lookup<Key, T> {
  has(key: Key): boolean;
  /** The first item of the key. */
  get(key: Key): T | undefined;
}

/**
 * Looks up items of a list by a key that they have, or by themselves.
 *
 * @example
 * ```ts
 * lookup(["a", "b"]).has("b") // => true
 * lookup([{ id: 1 }, { id: 2 }], ({ id }) => id).get(2) // => { id: 2 }
 * ```
 */
export function lookup<T>(list: readonly T[]): Lookup<T, T>;
export function lookup<T, Key>(list: readonly T[], keyOf: (item: T) => Key): Lookup<Key, T>;
export function lookup<T, Key>(list: readonly T[], keyOf?: (item: T) => Key | T): Lookup<Key | T, T> {
  if (list.length > MAX_SCANNED) {
    // Of equal keys, the last one that is set stays.
    return new Map(list.map((item) => [keyOf === undefined ? item : keyOf(item), item] as const).reverse());
  }
  if (keyOf === undefined) {
    return { has: (key) => list.includes(key as T), get: (key) => list.find((item) => item === key) };
  }
  const get = (key: Key | T) => {
    for (let at = 0; at < list.length; at++) if (keyOf(list[at] as T) === key) return list[at];
    return undefined;
  };
  return { get, has: (key) => get(key) !== undefined };
}
