/**
 * The text without such characters at its end.
 *
 * @example
 * ```ts
 * trimEnd("https://host//", "/") // => "https://host"
 * trimEnd("1.50", "0") // => "1.5"
 * ```
 */
export function trimEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1] as string)) end -= 1;
  return text.slice(0, end);
}
