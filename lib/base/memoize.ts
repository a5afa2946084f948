// Caches the results of a function of text, or of a value by its text: pods of one workload carry the same annotations. The cache is
// bounded in bytes, because pods choose the texts.

import { boundedCache } from "./bounded-cache.ts";
import { sharedMemory } from "./cache-memory.ts";
import { heapBytes } from "./heap-bytes.ts";

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
