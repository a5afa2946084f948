// The one kind of cache that lives across requests: two generations, bounded by an account of bytes. Knows nothing of its values.

import type { CacheMemory, Generations } from "./cache-memory.ts";

export interface BoundedCache<T> extends Generations {
  get(key: string): T | undefined;
  /** @param bytes at least what the value takes of the heap; that of the key and the entry is added */
  set(key: string, value: T, bytes: number): void;
  values(): readonly T[];
}

interface Entry<T> {
  readonly value: T;
  readonly bytes: number;
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
    memory.take(-(young.get(key)?.bytes ?? 0));
    memory.take(entry.bytes);
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
    set(key, value, own) {
      const bytes = own + ENTRY + 2 * key.length;
      if (bytes <= memory.most() * LARGEST) add(key, { value, bytes });
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
