/**
 * Texts of which one is meant, as a part of a sentence.
 *
 * @example
 * ```ts
 * either(["REDIRECT", "TPROXY", "NONE"]) // => "REDIRECT, TPROXY or NONE"
 * either(["a"]) // => "a"
 * ```
 */
export function either(texts: readonly string[]): string {
  const [last = "", ...others] = texts.toReversed();
  return others.length === 0 ? last : `${others.toReversed().join(", ")} or ${last}`;
}
