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

/** Bytes that an entry and its places in two tables take. */
const ENTRY = 256;

/** The largest share of an account's memory that one value may take. A larger value is not kept. */
const LARGEST = 1 / 8;

/** Creates a cache within an account of bytes. An entry that is used again moves into the younger generation. */
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

/**
 * An account of bytes that several caches share. When half of them are taken, all caches begin a new generation and
 * drop the one before.
 */
interface CacheMemory {
  /** The number of bytes that the caches of this account take together at most. */
  most(): number;
  /** Adds a cache, which is held weakly. Its `turn` drops the older half of what it holds. */
  join(cache: Generations): void;
  /** Notes the bytes that a cache is about to take. Negative bytes are given back. */
  take(size: Size): void;
}

/**
 * The bytes that a value takes. For values that share parts, a function returns what a value takes besides the objects
 * that are counted already, and adds its own to them.
 */
export type Size = number | ((counted?: Counted) => number);

/** Objects that an account has counted since its caches last turned. */
export type Counted = Pick<WeakSet<object>, "add" | "has">;

interface Generations {
  turn(): void;
}

/** Creates an account of as many bytes as the function returns at the time. */
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

/**
 * The shared accounts, by what their caches remember: answers for replicas, shapes of templates, results for texts that
 * pods choose.
 */
export const sharedMemory = {
  replicas: cacheMemory(() => 0.35 * all),
  shapes: cacheMemory(() => 0.4 * all),
  texts: cacheMemory(() => 0.25 * all),
  /** Limits the bytes that all accounts take together. A process with less memory says so when it starts. */
  limit(bytes: number): void {
    all = bytes;
  },
};
