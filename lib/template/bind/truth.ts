// A value as a condition, by the rules of Handlebars.

/**
 * Whether a value is true in Handlebars: null, false, 0, NaN, the empty string and the empty list are false; the empty object is true.
 *
 * @example
 * ```ts
 * isTruthy([]) // => false
 * isTruthy({}) // => true
 * ```
 */
export function isTruthy(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

/** Whether a value is true with `includeZero=true` and in `#with`: like `isTruthy`, but 0 is true. */
export function isPresent(value: unknown): boolean {
  return value === 0 || isTruthy(value);
}
