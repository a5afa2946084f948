// How much memory is taken by what is remembered across requests: one account for each purpose, in bytes of the heap.

/** An account of bytes that several caches share: where half of them are taken, all begin a new generation and drop the one before. */
export interface CacheMemory {
  /** Bytes that its caches take together at most. */
  most(): number;
  /** Adds a cache, which is held weakly: `turn` drops the older half of what it holds. */
  join(cache: Generations): void;
  /** Notes bytes that a cache is about to take; negative ones are given back. */
  take(bytes: number): void;
}

export interface Generations {
  turn(): void;
}

/** An account of its own, of as many bytes as the function says at the time. */
export function cacheMemory(most: () => number): CacheMemory {
  let caches: readonly WeakRef<Generations>[] = [];
  let held = 0;
  return {
    most,
    join(cache) {
      caches = [...caches, new WeakRef(cache)];
    },
    take(bytes) {
      if (held + bytes > most() / 2) {
        for (const cache of caches) cache.deref()?.turn();
        caches = caches.filter((cache) => cache.deref() !== undefined);
        held = 0;
      }
      held += bytes;
    },
  };
}

let all = 256_000_000;

/** Limits what all shared accounts take together, in bytes: a process with less memory says so when it starts. */
export function limitCaches(bytes: number): void {
  all = bytes;
}

/** The shared accounts, by what is remembered: answers for replicas, shapes of templates, results for texts that pods choose. */
export const sharedMemory = {
  replicas: cacheMemory(() => 0.35 * all),
  shapes: cacheMemory(() => 0.4 * all),
  texts: cacheMemory(() => 0.25 * all),
};
