// The one hash of texts: for checksums against damage and for shares, not against malice.

/**
 * Returns the 32 bits of FNV-1a over the UTF-16 units of a text, as a whole number.
 *
 * @example
 * ```ts
 * fnv1a("a") // => 3826002220
 * ```
 */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
