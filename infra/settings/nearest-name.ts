// The known name that is nearest to an unknown one: there always is one, however far.

/**
 * The name with the fewest edits.
 *
 * @example
 * ```ts
 * nearestName("aip", ["domain", "api"]) // => "api"
 * ```
 */
export function nearestName(name: string, known: readonly string[]): string {
  const ranked = known.map((one) => ({ one, edits: editsBetween(name.toLowerCase(), one.toLowerCase()) }));
  return ranked.reduce((best, next) => (next.edits < best.edits ? next : best)).one;
}

/** Levenshtein's distance. Each pass of the outer loop is one line of the table. */
function editsBetween(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [row, letter] of [...a].entries()) {
    const line = [row + 1];
    for (const [column, other] of [...b].entries()) {
      const replaced = (above[column] ?? 0) + (letter === other ? 0 : 1);
      line.push(Math.min(replaced, (above[column + 1] ?? 0) + 1, (line[column] ?? 0) + 1));
    }
    above = line;
  }
  return above.at(-1) ?? 0;
}
