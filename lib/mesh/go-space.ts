// Spaces as Go reads them.

const SPACE = /^\p{White_Space}$/u;

/**
 * Go's TrimSpace. Unlike JavaScript's `trim`, it counts U+0085 as a space and the byte order mark as none. A loop, because
 * a regular expression for spaces at the end takes quadratic time.
 */
export function trimGoSpace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isGoSpace(text, start)) start += 1;
  while (end > start && isGoSpace(text, end - 1)) end -= 1;
  return start === 0 && end === text.length ? text : text.slice(start, end);
}

/** Whether Go counts the character at the index as a space. */
export function isGoSpace(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  if (code < 0x80) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  return SPACE.test(text[index] as string);
}
