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
type Counted = Pick<WeakSet<object>, "add" | "has">;

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

/**
 * What V8 takes at most, with what the checks of a pod note of each object. A field has a hidden class of its own where the
 * author chose the key, and an object with numbers for keys has a table or a list with gaps.
 */
const NODE = 64;
const FIELD = 64;
const INDEX = 256;
const SCALAR = 24;
const TEXT = 32;

/**
 * Bytes of the heap that a value takes at most, with everything that it refers to.
 *
 * @param counted objects that count as nothing, because others refer to them too; those of the value are added
 */
export function heapBytes(value: unknown, counted?: Counted): number {
  if (typeof value === "string") return textBytes(value);
  if (typeof value !== "object" || value === null) return SCALAR;
  if (counted?.has(value)) return 0;
  counted?.add(value);
  let bytes = NODE;
  if (Array.isArray(value)) for (const item of value) bytes += heapBytes(item, counted);
  else {
    for (const [field, child] of Object.entries(value)) {
      const first = field.charCodeAt(0);
      bytes += FIELD + textBytes(field) + (first >= 0x30 && first <= 0x39 ? INDEX : 0) + heapBytes(child, counted);
    }
  }
  return bytes;
}

/** What a text takes at most: V8 has two bytes for each of its characters if one of them is not of Latin-1. */
function textBytes(text: string): number {
  return TEXT + (text.length < SHORT || IS_WIDE.test(text) ? 2 : 1) * text.length;
}

/** Texts that are not worth a look. */
const SHORT = 16;
const IS_WIDE = /[^\0-\u00ff]/;

interface Memoizing<T> {
  /** Characters of the longest text whose result is kept. */
  readonly longest?: number;
  /** At least what a result takes of the heap; left out, the result is JSON. */
  readonly bytesOf?: (result: T, text: string) => number;
}

const OF_PODS = 4096;

/** The function with its results cached for recent texts. It must depend on the text alone; errors are not cached. */
export function memoize<T>(make: (text: string) => T, memoizing?: Memoizing<T>): (text: string) => T {
  return memoizeBy((text) => text, make, memoizing);
}

/** The function with its results cached for recent values: those that JSON writes alike are one. It must depend on nothing that JSON leaves out. */
export function memoizeJson<Value, T>(make: (value: Value) => T, memoizing?: Memoizing<T>): (value: Value) => T {
  return memoizeBy((value) => JSON.stringify(value), make, memoizing);
}

function memoizeBy<Value, T>(
  textOf: (value: Value) => string,
  make: (value: Value) => T,
  { longest = OF_PODS, bytesOf = (result) => heapBytes(result) }: Memoizing<T> = {},
): (value: Value) => T {
  const recent = boundedCache<{ readonly result: T }>(sharedMemory.texts);
  return (value) => {
    const text = textOf(value);
    if (text.length > longest) return make(value);
    const known = recent.get(text);
    if (known !== undefined) return known.result;
    const result = make(value);
    recent.set(text, { result }, bytesOf(result, text));
    return result;
  };
}

/** The function with its result kept for each object, which must not change, as long as that object is in use. */
export function memoizeObject<Key extends object, T extends object | string>(
  make: (object: Key) => T,
): (object: Key) => T {
  const results = new WeakMap<Key, T>();
  return (object) => {
    const known = results.get(object);
    if (known !== undefined) return known;
    const result = make(object);
    results.set(object, result);
    return result;
  };
}

/** A function that makes the value on its first call and returns the same value on every call. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
