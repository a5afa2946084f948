// Shapes by branch key, bounded by number and bytes: two generations, of which the older is dropped when the younger is
// full. Knows nothing of templates: its values are opaque.

export interface ShapeCache<T> {
  get(key: string): T | undefined;
  /** @param bytes an estimate, for the bound on the size of the cache */
  set(key: string, value: T, bytes: number): void;
  values(): readonly T[];
}

/** Holds at most twice the given number and bytes. An entry that is used again moves into the younger generation. */
export function shapeCache<T>(most: number, mostBytes: number): ShapeCache<T> {
  let young = new Map<string, { readonly value: T; readonly bytes: number }>();
  let old = young;
  let held = 0;
  const add = (key: string, entry: { readonly value: T; readonly bytes: number }): void => {
    if (young.size >= most || held + entry.bytes > mostBytes) {
      old = young;
      young = new Map();
      held = 0;
    }
    young.set(key, entry);
    held += entry.bytes;
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
