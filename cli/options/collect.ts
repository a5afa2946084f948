// An option that may be given again. A file of its own: what reads it loads nothing else.

/** Gathers the values of an option that is repeatable, for commander. */
export function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}
