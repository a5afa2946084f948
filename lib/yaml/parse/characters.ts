// Which characters a YAML text may hold, and which of them are white space, line breaks and indicators to go-yaml. The end
// of a text has the code NaN.

export const CODE = {
  tab: 9,
  space: 32,
  exclamation: 33,
  doubleQuote: 34,
  hash: 35,
  percent: 37,
  ampersand: 38,
  singleQuote: 39,
  asterisk: 42,
  comma: 44,
  minus: 45,
  dot: 46,
  colon: 58,
  greater: 62,
  question: 63,
  openBracket: 91,
  backslash: 92,
  closeBracket: 93,
  openBrace: 123,
  bar: 124,
  closeBrace: 125,
  byteOrderMark: 0xfeff,
} as const;

/** Matches characters that YAML does not allow: control characters, and half a surrogate pair. */
export const NOT_ALLOWED: RegExp = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

export function isBlank(code: number): boolean {
  return code === CODE.space || code === CODE.tab;
}

/** Whether a character is a line break of YAML 1.1, which has next line, line separator and paragraph separator too. */
export function isBreak(code: number): boolean {
  return code === 10 || code === 13 || code === 0x85 || code === 0x2028 || code === 0x2029;
}

export function isBreakOrEnd(code: number): boolean {
  return isBreak(code) || Number.isNaN(code);
}

export function isSpaceOrEnd(code: number): boolean {
  return code === CODE.space || code === CODE.tab || isBreakOrEnd(code);
}

/** Offset after the line break at `at`: a carriage return and line feed are one. */
export function afterBreak(text: string, at: number): number {
  return text.charCodeAt(at) === 13 && text.charCodeAt(at + 1) === 10 ? at + 2 : at + 1;
}

/** Returns the text of a line break in a value. It is a line feed, except that line and paragraph separators stay. */
export function breakText(text: string, at: number): string {
  const code = text.charCodeAt(at);
  return code === 0x2028 || code === 0x2029 ? text.charAt(at) : "\n";
}

/** Whether `---` or `...` is at `at`, alone or before white space. */
export function isDocumentMarker(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code !== CODE.minus && code !== CODE.dot) return false;
  return text.charCodeAt(at + 1) === code && text.charCodeAt(at + 2) === code && isSpaceOrEnd(text.charCodeAt(at + 3));
}
