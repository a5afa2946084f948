// Finds the quote that was never closed, for a message that names its line.

/** Matches the messages of a parser when a quoted scalar runs into the lines after it. */
const RUN_ON = /not closed|has no colon|is expected here|second key of this line|no such escape/;

/** Matches a quote that opens a value, an item or a key. */
const OPENING = /(?:^|[:\-[{,?] )[ ]*(["'])/g;

/**
 * The offset of the quote that is not closed on its line, searched upwards from where the parser gave up; undefined if the
 * reason is another one or no line has such a quote.
 *
 * @example
 * ```ts
 * unclosedQuote('a: "x\nb: 1\n', 6, "the quote that opens here is not closed") // => 3
 * unclosedQuote("a: 1\n b: 1\n", 6, "a key is expected here") // => undefined
 * ```
 */
export function unclosedQuote(text: string, position: number, reason: string): number | undefined {
  if (!RUN_ON.test(reason)) return undefined;
  let end = Math.min(position, text.length);
  while (end > 0) {
    const start = text.lastIndexOf("\n", end - 1) + 1;
    const line = text.slice(start, end);
    for (const match of line.matchAll(OPENING)) {
      const quote = match[1] as string;
      const at = match.index + match[0].length - 1;
      if (!isClosed(line.slice(at + 1), quote)) return start + at;
    }
    end = start - 1;
  }
  return undefined;
}

function isClosed(rest: string, quote: string): boolean {
  const plain = quote === '"' ? rest.replaceAll(/\\./g, "") : rest.replaceAll("''", "");
  return plain.includes(quote);
}
