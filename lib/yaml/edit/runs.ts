// Positions that follow each other, taken together.

/** First and last position. */
export type Run = readonly [number, number];

/** Positions that follow each other, together. */
export function runs(positions: readonly number[]): readonly Run[] {
  const found: [number, number][] = [];
  for (const position of positions) {
    const last = found.at(-1);
    if (last !== undefined && last[1] === position - 1) last[1] = position;
    else found.push([position, position]);
  }
  return found;
}
