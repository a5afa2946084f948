// The one kind of cache that lives across requests: two generations, bounded by an account of bytes. Knows nothing of its values.

import { bytesOf, type CacheMemory, type Generations, type Size } from "./cache-memory.ts";

export interface BoundedCache<T> extends Generations {
  get(key: string): T | undefined;
  /** @param size at least what the value takes of the heap; that of the key and the entry is added */
  set(key: string, value: T, size: Size): void;
  values(): readonly T[];
}

interface Entry<T> {
  readonly value: T;
  readonly size: Size;
}

/** The entry and its places in two tables. */
const ENTRY = 256;

/** Of its memory. What would take more than this alone is not kept. */
const LARGEST = 1 / 8;

/** A cache within that memory. An entry that is used again moves into the younger generation. */
export function boundedCache<T>(memory: CacheMemory): BoundedCache<T> {
  let young = new Map<string, Entry<T>>();
  let old = young;
  const add = (key: string, entry: Entry<T>): void => {
    const before = young.get(key);
    // A shared part stays as long as another value has it, so those are not given back.
    if (before !== undefined) memory.take(-entryBytes(key, typeof before.size === "number" ? before.size : 0));
    memory.take((counted) => entryBytes(key, bytesOf(entry.size, counted)));
    young.set(key, entry);
  };
  const find = (key: string): Entry<T> | undefined => {
    const entry = young.get(key);
    if (entry !== undefined) return entry;
    const older = old.get(key);
    if (older !== undefined) add(key, older);
    return older;
  };
  const cache: BoundedCache<T> = {
    get: (key) => find(key)?.value,
    set(key, value, size) {
      if (entryBytes(key, bytesOf(size)) <= memory.most() * LARGEST) add(key, { value, size });
    },
    values: () => [...new Map([...old, ...young]).values()].map(({ value }) => value),
    turn() {
      old = young;
      young = new Map();
    },
  };
  memory.join(cache);
  return cache;
}

function entryBytes(key: string, value: number): number {
  return value + ENTRY + 2 * key.length;
}
