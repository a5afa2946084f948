// What the code writes into a page, between `<!-- rows: NAME -->` and `<!-- /rows -->`: tables, and lines about them.

const END = "<!-- /rows -->";

/**
 * The page's text with other lines there.
 *
 * @throws Error where the page has no such place
 */
export function withRows(text: string, name: string, lines: readonly string[]): string {
  const begin = `<!-- rows: ${name} -->\n`;
  const start = text.indexOf(begin) + begin.length;
  const stop = text.indexOf(END, start);
  if (start < begin.length || stop === -1) throw new Error(`The page has no ${begin.trim()} with a ${END} after it`);
  return text.slice(0, start) + lines.map((line) => `${line}\n`).join("") + text.slice(stop);
}

/** A table as lines of Markdown. */
export function tableLines(headings: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  return [headings, headings.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
}
