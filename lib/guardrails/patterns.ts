// How entries of the setting, and the tables of what is known, name several values at once. Pure.

/** Whether a value is of a pattern: `*` is any text, slashes included. */
export function matchesPattern(pattern: string, value: string): boolean {
  const [start = "", ...parts] = pattern.split("*");
  const end = parts.pop();
  if (end === undefined || !value.startsWith(start)) return pattern === value;
  let at = start.length;
  for (const part of parts) {
    const found = value.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return value.endsWith(end) && at + end.length <= value.length;
}
