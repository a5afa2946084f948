// Caches the results of a function of text: pods of one workload carry the same annotations. The cache is bounded in bytes, because
// pods choose the texts.

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
export function memoize<T>(
  make: (text: string) => T,
  { longest = OF_PODS, bytesOf = (result) => heapBytes(result) }: Memoizing<T> = {},
): (text: string) => T {
  const recent = boundedCache<{ readonly result: T }>(sharedMemory.texts);
  return (text) => {
    if (text.length > longest) return make(text);
    const known = recent.get(text);
    if (known !== undefined) return known.result;
    const result = make(text);
    recent.set(text, { result }, bytesOf(result, text));
    return result;
  };
}
