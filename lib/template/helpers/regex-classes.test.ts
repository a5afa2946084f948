import { describe, expect, it } from "vitest";
import { regexMatch } from "./regex.ts";
import { parseRegex } from "./regex-parser.ts";

const CHARACTERS = Array.from({ length: 0x180 }, (_, code) => String.fromCharCode(code));

/** The characters below U+0180 that a pattern matches, as ranges of codes. */
function matched(pattern: string): string {
  const program = parseRegex(pattern);
  const ranges: [number, number][] = [];
  for (const [code, character] of CHARACTERS.entries()) {
    if (!regexMatch(program, character)) continue;
    const last = ranges.at(-1);
    if (last?.[1] === code - 1) last[1] = code;
    else ranges.push([code, code]);
  }
  const text = (code: number) => (code > 0x20 && code < 0x7f ? String.fromCharCode(code) : code.toString(16));
  return ranges.map(([from, to]) => (from === to ? text(from) : `${text(from)}-${text(to)}`)).join(" ");
}

describe("a class", () => {
  it.each([
    ["\\d", "0-9"],
    ["\\w", "0-9 A-Z _ a-z"],
    ["\\s", "9-a c-d 20"],
    ["[[:alnum:]]", "0-9 A-Z a-z"],
    ["[[:alpha:]]", "A-Z a-z"],
    ["[[:ascii:]]", "0-7f"],
    ["[[:blank:]]", "9 20"],
    ["[[:cntrl:]]", "0-1f 7f"],
    ["[[:digit:]]", "0-9"],
    ["[[:graph:]]", "!-~"],
    ["[[:lower:]]", "a-z"],
    ["[[:print:]]", "20-~"],
    ["[[:punct:]]", "!-/ :-@ [-` {-~"],
    ["[[:space:]]", "9-d 20"],
    ["[[:upper:]]", "A-Z"],
    ["[[:word:]]", "0-9 A-Z _ a-z"],
    ["[[:xdigit:]]", "0-9 A-F a-f"],
    ["[abc]", "a-c"],
    ["[a-cx]", "a-c x"],
    ["[]a]", "] a"],
    ["[-a]", "- a"],
    ["[a-]", "- a"],
    ["[a-c-e]", "- a-c e"],
    ["[a\\]b]", "] a-b"],
    ["[\\d_]", "0-9 _"],
    ["[\\x41-\\x43]", "A-C"],
    ["[+--]", "+--"],
    ["[[:digit:]a]", "0-9 a"],
    ["[a^]", "^ a"],
    ["[.*]", "* ."],
    ["[[]", "["],
    ["[&&a]", "& a"],
    ["(?i)[a-c]", "A-C a-c"],
    ["(?i)k", "K k"],
    ["\\n", "a"],
    ["\\t", "9"],
    ["\\r", "d"],
    ["\\f", "c"],
    ["\\v", "b"],
    ["\\a", "7"],
    ["\\.", "."],
    ["\\-", "-"],
    ["\\x4a", "J"],
    ["\\x{e4}", "e4"],
    ["\\0", "0"],
    ["\\101", "A"],
    ["\\07", "7"],
    ["[\\101\\n]", "a A"],
    ["é", "e9"],
  ])("%s matches %s", (pattern, expected) => {
    expect(matched(pattern)).toBe(expected);
  });

  it.each([
    ["\\D", "\\d"],
    ["\\W", "\\w"],
    ["\\S", "\\s"],
    ["[^a-c]", "[a-c]"],
    ["[[:^digit:]]", "[[:digit:]]"],
    ["[^[:digit:]x]", "[[:digit:]x]"],
    ["[^\\w]", "\\w"],
    ["[\\S]", "\\s"],
    ["[^\\s]", "\\s"],
    ["[^\\n]", "\\n"],
  ])("%s matches all that %s does not", (negated, pattern) => {
    const [no, yes] = [parseRegex(negated), parseRegex(pattern)];
    for (const character of CHARACTERS) expect(regexMatch(no, character)).toBe(!regexMatch(yes, character));
  });

  it.each([
    ["^\\Aa", "a"],
    ["a\\z", "a"],
    ["\\bab\\b", "ab"],
    ["a\\Bb", "ab"],
    ["\\x{1F600}", "😀"],
    ["[😀-😂]", "😁"],
    ["[^a]", "😀"],
  ])("%s matches %s", (pattern, text) => {
    expect(regexMatch(parseRegex(pattern), text)).toBe(true);
  });

  it.each([
    ["a\\Ab", "ab"],
    ["a\\zb", "ab"],
    ["a\\bb", "ab"],
    ["\\Bab", "ab"],
  ])("%s does not match %s", (pattern, text) => {
    expect(regexMatch(parseRegex(pattern), text)).toBe(false);
  });
});

it.each([
  ["[[:nothing:]]", "has a class that is not known: [:nothing:]"],
  ["[[:toString:]]", "has a class that is not known: [:toString:]"],
  ["[a", "has a [ that is not closed"],
  ["[]", "has a [ that is not closed"],
  ["[^]", "has a [ that is not closed"],
  ["[a-", "has a [ that is not closed"],
  ["[c-a]", "has a range whose end is before its start"],
  ["[\\x43-\\x41]", "has a range whose end is before its start"],
  ["\\y", "has an escape that is not supported: \\y"],
  ["\\8", "has an escape that is not supported: \\8"],
  ["\\1", "has an escape that is not supported: \\1"],
  ["\\xg", "has an escape that is not supported: \\x"],
  ["\\x{110000}", "has an escape that is not supported: \\x"],
  ["\\", "has an escape that is not supported: \\"],
  ["[\\y]", "has an escape that is not supported: \\y"],
])("%s is refused: %s", (pattern, reason) => {
  expect(() => parseRegex(pattern)).toThrow(`the regular expression ${reason}`);
});

it("takes a range of one character, and the last character that there is", () => {
  expect(matched("[b-b]")).toBe("b");
  expect(regexMatch(parseRegex("\\x{10ffff}"), "\u{10ffff}")).toBe(true);
});
