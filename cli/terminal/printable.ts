// What may reach a terminal of texts that others wrote.

/** The text without what steers a terminal: all control characters but line breaks and tabs become `?`. */
export function printable(text: string): string {
  return text.replace(/\r(?=\n)/g, "").replace(/(?![\n\t])\p{Cc}|\p{Bidi_Control}/gu, "?");
}
