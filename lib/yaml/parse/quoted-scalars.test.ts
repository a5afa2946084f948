import { describe, expect, it } from "vitest";
import { parseYaml } from "../parse-yaml.ts";
import { scanQuoted } from "./quoted-scalars.ts";

const codes = (text: string) => [...String(parseYaml(text, "f"))].map((character) => character.codePointAt(0));

describe("a scalar in double quotes", () => {
  it.each([
    ["0", 0],
    ["a", 7],
    ["b", 8],
    ["t", 9],
    ["\t", 9],
    ["n", 10],
    ["v", 11],
    ["f", 12],
    ["r", 13],
    ["e", 27],
    [" ", 32],
    ['"', 34],
    ["'", 39],
    ["\\", 92],
    ["N", 0x85],
    ["_", 0xa0],
    ["L", 0x2028],
    ["P", 0x2029],
    ["x41", 0x41],
    ["x7f", 0x7f],
    ["u20aC", 0x20ac],
    ["U0001F600", 0x1f600],
    ["U0010FFFF", 0x10ffff],
    ["uD7FF", 0xd7ff],
    ["uE000", 0xe000],
  ])("reads \\%s as one character", (sequence, code) => {
    expect(codes(`"a\\${sequence}b"\n`)).toEqual([0x61, code, 0x62]);
  });

  it.each([
    ["\\x4", "an escape sequence needs 2 hexadecimal digits"],
    ["\\x4g", "an escape sequence needs 2 hexadecimal digits"],
    ["\\u12 4", "an escape sequence needs 4 hexadecimal digits"],
    ["\\U1234567", "an escape sequence needs 8 hexadecimal digits"],
    ["\\U00110000", "an escape sequence names no character"],
    ["\\uD800", "an escape sequence names no character"],
    ["\\uDFFF", "an escape sequence names no character"],
  ])("refuses %s: %s", (sequence, message) => {
    expect(() => parseYaml(`a: "${sequence}"\n`, "f")).toThrow(message);
  });

  it("refuses a sequence that does not exist", () => {
    const from = { at: 0, line: 1, lineStart: 0 };
    expect(() => scanQuoted('"a\\q"', from, false)).toThrow("there is no such escape sequence in double quotes");
    expect(() => scanQuoted('"a\\/"', from, false)).toThrow("there is no such escape sequence in double quotes");
    expect(scanQuoted('"a\\/"', from, true).value).toBe("a/");
  });

  it("reads half of a pair of surrogates in JSON, whose characters have 16 bits", () => {
    const from = { at: 0, line: 1, lineStart: 0 };
    expect(scanQuoted('"\\ud83d\\ude00"', from, true).value).toBe("\u{1f600}");
    expect(() => scanQuoted('"\\ud83d\\ude00"', from, false)).toThrow("names no character");
  });

  it.each([
    ['"a\n  b"', "a b"],
    ['"a  \n\n  b"', "a\nb"],
    ['"a\n\n\n b"', "a\n\nb"],
    ['"a\\\n  b"', "ab"],
    ['" a\n b "', " a b "],
    ["'a\n  b'", "a b"],
    ["'a\n\n  b'", "a\nb"],
    ["'it''s'", "it's"],
    ["'a\\n'", "a\\n"],
  ])("folds the lines of %j", (text, expected) => {
    expect(parseYaml(`a: ${text}\n`, "f")).toEqual({ a: expected });
  });
});
