/**
 * A function that gives the line and column of an offset, both from 1, in logarithmic time.
 *
 * @example
 * ```ts
 * lineIndex("a: 1\nb: 2\n")(8) // => { line: 2, column: 4 }
 * ```
 */
export function lineIndex(text: string): (offset: number) => { readonly line: number; readonly column: number } {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] as number) + 1 };
  };
}
