// A cache that is bounded by number and bytes: two generations, of which the older is dropped when the younger is full.
// Knows nothing of its values.

export interface BoundedCache<T> {
  get(key: string): T | undefined;
  /** @param bytes an estimate, for the bound on the size of the cache */
  set(key: string, value: T, bytes: number): void;
  values(): readonly T[];
}

interface Entry<T> {
  readonly value: T;
  readonly bytes: number;
}

/** Holds at most twice the given number and bytes. An entry that is used again moves into the younger generation. */
export function boundedCache<T>(most: number, mostBytes: number): BoundedCache<T> {
  let young = new Map<string, Entry<T>>();
  let old = young;
  let held = 0;
  const add = (key: string, entry: Entry<T>): void => {
    const replaced = young.get(key)?.bytes;
    if ((replaced === undefined && young.size >= most) || held - (replaced ?? 0) + entry.bytes > mostBytes) {
      old = young;
      young = new Map();
      held = entry.bytes;
    } else {
      held += entry.bytes - (replaced ?? 0);
    }
    young.set(key, entry);
  };
  return {
    get(key) {
      const entry = young.get(key);
      if (entry !== undefined) return entry.value;
      const older = old.get(key);
      if (older === undefined) return undefined;
      add(key, older);
      return older.value;
    },
    set(key, value, bytes) {
      if (bytes <= mostBytes / 4) add(key, { value, bytes });
    },
    values: () => [...new Map([...old, ...young]).values()].map(({ value }) => value),
  };
}
