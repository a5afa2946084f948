// The blocks of a template that does not parse: which one is open where, for messages that name the opening line.

export interface OpenBlock {
  readonly name: string;
  /** 1-based. */
  readonly line: number;
}

/** The innermost block that is not closed before the offset. Reads tags by their shape: a broken template has no tree. */
export function openBlock(text: string, end = text.length): OpenBlock | undefined {
  const open: OpenBlock[] = [];
  const plain = blankComments(text.slice(0, end));
  for (const match of plain.matchAll(/\{\{~?(?:#\*?|\^)\s*([\w-]+)|\{\{~?\/\s*([\w-]+)/g)) {
    const [, opened, closed] = match;
    const line = plain.slice(0, match.index).split("\n").length;
    if (opened !== undefined) open.push({ name: opened, line });
    else if (open.at(-1)?.name === closed) open.pop();
  }
  return open.at(-1);
}

/** The text with spaces for comments, so that offsets and lines stay. */
export function blankComments(text: string): string {
  return text.replaceAll(/\{\{~?!--[\s\S]*?--~?\}\}|\{\{~?![\s\S]*?\}\}/g, (comment) =>
    comment.replaceAll(/[^\n]/g, " "),
  );
}
