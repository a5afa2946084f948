const TRUE_WORDS: ReadonlySet<unknown> = new Set(["1", "t", "T", "TRUE", "true", "True"]);
const FALSE_WORDS: ReadonlySet<unknown> = new Set(["0", "f", "F", "FALSE", "false", "False"]);

/**
 * The boolean that Go's strconv.ParseBool reads in a text; undefined for any other text, and for what is no text.
 *
 * @example
 * ```ts
 * parseGoBoolean("T") // => true
 * parseGoBoolean("yes") // => undefined
 * ```
 */
export function parseGoBoolean(text: unknown): boolean | undefined {
  if (TRUE_WORDS.has(text)) return true;
  return FALSE_WORDS.has(text) ? false : undefined;
}
