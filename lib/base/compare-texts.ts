/** Orders texts by their code units, whatever the machine's language is: for `toSorted`. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
