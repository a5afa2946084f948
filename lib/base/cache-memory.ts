// How much memory is taken by what is remembered across requests: one account for each purpose, in bytes of the heap.

/** An account of bytes that several caches share: where half of them are taken, all begin a new generation and drop the one before. */
export interface CacheMemory {
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

export interface Generations {
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
export function bytesOf(size: Size, counted?: Counted): number {
  return typeof size === "number" ? size : size(counted);
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
