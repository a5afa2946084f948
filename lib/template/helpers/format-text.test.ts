import { expect, it } from "vitest";
import { formatText } from "./format-text.ts";

it.each<[string, readonly unknown[], string]>([
  ["", [], ""],
  ["100%%", [], "100%"],
  ["%s", ["a"], "a"],
  ["%s %s", [1, null], "1 "],
  ["%v %v", [[1, "a"], { b: true }], "[1 a] map[b:true]"],
  ["%t", [true], "true"],
  ["%q", ['a"b'], '"a\\"b"'],
  ["%d", ["42"], "42"],
  ["%d", [-5], "-5"],
  ["%5d|%-5d|%05d", [42, 42, 42], "   42|42   |00042"],
  ["%+d|%+d|%+5d|%-+5d|", [5, -5, 5, 5], "+5|-5|   +5|+5   |"],
  ["%05d|%+05d", [-42, 42], "-0042|+0042"],
  ["%-05d|", [42], "42   |"],
  ["%.4d|%6.4d|%06.4d", [42, 42, -42], "0042|  0042| -0042"],
  ["%.0d", [7], "7"],
  ["%x|%X|%4x|%04x", [255, 255, 255, 255], "ff|FF|  ff|00ff"],
  ["%x|%X|%6x|%-6x|", ["hi", "hé", "hi", "hi"], "6869|68C3A9|  6869|6869  |"],
  ["%o|%b|%08b", [8, 5, 5], "10|101|00000101"],
  ["%c|%3c|%-3c|", [65, 0x1f600, "66"], "A|  😀|B  |"],
  ["%f|%.0f|%.2f|%8.2f|%-8.2f|%08.2f", [1, 1.5, 2, 2, 2, -2], "1.000000|2|2.00|    2.00|2.00    |-0002.00"],
  ["%+.1f", [1.25], "+1.3"],
  ["%.3s|%5.1s|%.9s", ["abcd", "abcd", "a"], "abc|    a|a"],
  ["%.1s|%2s|%3s", ["😀b", "😀", "😀b"], "😀| 😀| 😀b"],
  ["%4v|%-4v|%04v|%+v", [7, 7, 7, 7], "   7|7   |0007|+7"],
  ["%4v|%.1v", ["a", 12], "   a|1"],
  ["%.2q", ["abc"], '"abc"'],
  ["%6q|%-6q|", ["a", "a"], '   "a"|"a"   |'],
  ["a\n%s\nb", ["x"], "a\nx\nb"],
])("writes %j with %j as Go does: %j", (format, values, text) => {
  expect(formatText(format, values)).toBe(text);
});

it.each<[string, readonly unknown[], string]>([
  ["%s", [], "the format has more verbs than there are values"],
  ["%s%s", ["a"], "the format has more verbs than there are values"],
  ["a", ["a"], "the format has fewer verbs than there are values"],
  ["%s", ["a", "b"], "the format has fewer verbs than there are values"],
  ["%", ["a"], "the format has the verb %: there are %s"],
  ["%e", [1], "the format has the verb %e: there are %s"],
  ["%😀", [1], "the format has the verb %😀"],
  ["%d", ["a"], "an integer is expected"],
  ["%d", [1.5], "an integer is expected"],
  ["%o", [null], "an integer is expected"],
  ["%x", [[]], "an integer is expected"],
  ["%f", ["1"], "a number is expected"],
  ["%.101f", [1], "a number has too many digits for %f"],
  ["%f", [1e21], "a number has too many digits for %f"],
  ["%f", [-1e21], "a number has too many digits for %f"],
  ["%c", [-1], "a number is no character for %c"],
  ["%c", [0x110000], "a number is no character for %c"],
])("refuses %j with %j: %s", (format, values, reason) => {
  expect(() => formatText(format, values)).toThrow(reason);
});

it("takes the greatest number and precision that it can write", () => {
  expect(formatText("%.100f", [1])).toBe(`1.${"0".repeat(100)}`);
  expect(formatText("%.0f", [9e20])).toBe("900000000000000000000");
  expect(formatText("%c%c", [0, 0x10ffff])).toBe("\0\u{10ffff}");
});
