// The one kind of cache that lives across requests: two generations, bounded by an account of bytes. Knows nothing of its values.

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

/** An account of bytes that several caches share: where half of them are taken, all begin a new generation and drop the one before. */
interface CacheMemory {
  /** Bytes that its caches take together at most. */
  most(): number;
  /** Adds a cache, which is held weakly: `turn` drops the older half of what it holds. */
  join(cache: Generations): void;
  /** Notes what a cache is about to take; negative bytes are given back. */
  take(size: Size): void;
}

/** Bytes, or for values that share parts: what a value takes besides what was counted before, which it adds to. */
export type Size = number | ((counted?: Counted) => number);

/** Objects that an account has counted since its caches last turned. */
export type Counted = Pick<WeakSet<object>, "add" | "has">;

interface Generations {
  turn(): void;
}

/** An account of its own, of as many bytes as the function says at the time. */
export function cacheMemory(most: () => number): CacheMemory {
  let caches: readonly WeakRef<Generations>[] = [];
  let held = 0;
  let counted: Counted = new WeakSet();
  return {
    most,
    join(cache) {
      caches = [...caches, new WeakRef(cache)];
    },
    take(size) {
      let bytes = bytesOf(size, counted);
      if (held + bytes > most() / 2) {
        for (const cache of caches) cache.deref()?.turn();
        caches = caches.filter((cache) => cache.deref() !== undefined);
        held = 0;
        // What was counted may be dropped, so the new generation counts its own.
        counted = new WeakSet();
        bytes = bytesOf(size, counted);
      }
      held += bytes;
    },
  };
}

/** @param counted before; left out, what is shared within the value counts each time */
function bytesOf(size: Size, counted?: Counted): number {
  return typeof size === "number" ? size : size(counted);
}

let all = 256_000_000;

/** The shared accounts, by what is remembered: answers for replicas, shapes of templates, results for texts that pods choose. */
export const sharedMemory = {
  replicas: cacheMemory(() => 0.35 * all),
  shapes: cacheMemory(() => 0.4 * all),
  texts: cacheMemory(() => 0.25 * all),
  /** Limits what they take together, in bytes: a process with less memory says so when it starts. */
  limit(bytes: number): void {
    all = bytes;
  },
};
