// Caches the results of a function of text: pods of one workload carry the same annotations. The cache is bounded in
// number and length, because pods choose the texts.

/** How many texts are kept, and how long one may be. */
interface Limits {
  readonly texts: number;
  readonly length: number;
}

const OF_PODS: Limits = { texts: 512, length: 4096 };

/** The function with its results cached for recent texts. It must depend on the text alone; errors are not cached. */
export function memoize<T>(make: (text: string) => T, { texts, length }: Limits = OF_PODS): (text: string) => T {
  const recent = new Map<string, T>();
  return (text) => {
    if (text.length > length) return make(text);
    const known = recent.get(text);
    if (known !== undefined || recent.has(text)) return known as T;
    const made = make(text);
    if (recent.size >= texts) recent.delete(recent.keys().next().value as string);
    recent.set(text, made);
    return made;
  };
}
