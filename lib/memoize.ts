// Remembers what was made of recent texts: pods of one workload carry the same annotations, and a text always reads the
// same. Bounded in number and length, because the texts are strangers'.

const MAX_TEXTS = 512;
const MAX_LENGTH = 4096;

/** The function, its results kept for recent texts. It must depend on the text alone; what it throws is not kept. */
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
