// Caches the results of a function of text: pods of one workload carry the same annotations. The cache is bounded in
// number and length, because pods choose the texts.

const MAX_TEXTS = 512;
const MAX_LENGTH = 4096;

/** The function with its results cached for recent texts. It must depend on the text alone; errors are not cached. */
export function memoize<T>(make: (text: string) => T): (text: string) => T {
  const recent = new Map<string, T>();
  return (text) => {
    if (text.length > MAX_LENGTH) return make(text);
    const known = recent.get(text);
    if (known !== undefined || recent.has(text)) return known as T;
    const made = make(text);
    if (recent.size >= MAX_TEXTS) recent.delete(recent.keys().next().value as string);
    recent.set(text, made);
    return made;
  };
}
