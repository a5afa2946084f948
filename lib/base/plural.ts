/**
 * Returns the word for a number of things.
 *
 * @example
 * ```ts
 * plural(1, "pod") // => "pod"
 * plural(2, "branch", "branches") // => "branches"
 * ```
 */
export function plural(count: number, one: string, several = `${one}s`): string {
  return count === 1 ? one : several;
}
