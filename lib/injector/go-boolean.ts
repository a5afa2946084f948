// Booleans in annotations, read as Go's strconv.ParseBool reads them.

const booleans: Readonly<Record<string, boolean>> = {
  "1": true,
  t: true,
  T: true,
  true: true,
  TRUE: true,
  True: true,
  "0": false,
  f: false,
  F: false,
  false: false,
  FALSE: false,
  False: false,
};

/**
 * The boolean, or undefined if Go does not read the text as one.
 *
 * @example
 * ```ts
 * parseGoBoolean("T") // => true
 * parseGoBoolean("yes") // => undefined
 * ```
 */
export function parseGoBoolean(text: string): boolean | undefined {
  return Object.hasOwn(booleans, text) ? booleans[text] : undefined;
}
