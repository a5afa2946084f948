// Reads the examples in docstrings: the lines of the first fence below an `@example`, each of the form
// `expression // => expected`.

export interface Example {
  readonly line: number;
  readonly expression: string;
  readonly expected: string;
}

const ARROW = " // => ";

/** The examples of a source file. Throws for an `@example` without a ts fence and for a line that expects nothing. */
export function readExamples(source: string, file: string): readonly Example[] {
  const lines = source.split("\n");
  return lines.flatMap((text, index) => (/^\s*\* @example\b/.test(text) ? readFence(lines, index + 1, file) : []));
}

function readFence(lines: readonly string[], from: number, file: string): readonly Example[] {
  const end = lines.findIndex((text, index) => index > from && contentOf(text) === "```");
  if (contentOf(lines[from] ?? "") !== "```ts" || end === -1) {
    throw new Error(`${file}:${from}: the lines of an @example belong into a \`\`\`ts fence`);
  }
  if (end === from + 1) throw new Error(`${file}:${from}: the @example is empty`);
  return lines.slice(from + 1, end).map((text, index) => readLine(contentOf(text), from + index + 2, file));
}

function readLine(text: string, line: number, file: string): Example {
  const at = text.lastIndexOf(ARROW);
  if (at === -1) throw new Error(`${file}:${line}: write the line as \`expression // => expected\``);
  return { line, expression: text.slice(0, at), expected: text.slice(at + ARROW.length) };
}

/** A line of a docstring without its asterisk. */
function contentOf(text: string): string {
  return text.trim().replace(/^\*\s?/, "");
}
