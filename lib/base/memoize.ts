// Functions whose results are kept: for a text, for a value, for an object, or for good.

import { boundedCache, sharedMemory } from "./bounded-cache.ts";
import { heapBytes } from "./heap-bytes.ts";

interface Memoizing<T> {
  /** Characters of the longest text whose result is kept. */
  readonly longest?: number;
  /** Returns at least the bytes that a result takes of the heap. If it is left out, results are JSON. */
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
