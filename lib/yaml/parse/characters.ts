// Which characters a YAML text may hold, and which of them are white space, line breaks and indicators to go-yaml. The end
// of a text has the code NaN.

export const CODE = {
  tab: 9,
  lineFeed: 10,
  carriageReturn: 13,
  space: 32,
  exclamation: 33,
  doubleQuote: 34,
  hash: 35,
  percent: 37,
  ampersand: 38,
  singleQuote: 39,
  asterisk: 42,
  plus: 43,
  comma: 44,
  minus: 45,
  dot: 46,
  zero: 48,
  nine: 57,
  colon: 58,
  less: 60,
  greater: 62,
  question: 63,
  at: 64,
  openBracket: 91,
  backslash: 92,
  closeBracket: 93,
  backtick: 96,
  openBrace: 123,
  bar: 124,
  closeBrace: 125,
  byteOrderMark: 0xfeff,
} as const;

/** Control characters are not text, and half a surrogate pair is no character. */
const NOT_ALLOWED = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** Offset of the first character that a YAML text must not hold, or -1. */
export function forbiddenCharacter(text: string): number {
  return text.search(NOT_ALLOWED);
}

export function isBlank(code: number): boolean {
  return code === CODE.space || code === CODE.tab;
}

/** Line breaks of YAML 1.1: next line, line separator and paragraph separator too. */
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

/** What a line break is in a value: a line feed, but line and paragraph separators stay. */
export function breakText(text: string, at: number): string {
  const code = text.charCodeAt(at);
  return code === 0x2028 || code === 0x2029 ? text.charAt(at) : "\n";
}

/** `---` or `...` at `at`, alone or before white space. */
export function isDocumentMarker(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code !== CODE.minus && code !== CODE.dot) return false;
  return text.charCodeAt(at + 1) === code && text.charCodeAt(at + 2) === code && isSpaceOrEnd(text.charCodeAt(at + 3));
}
