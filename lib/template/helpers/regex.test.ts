import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { regexMatch, regexReplaceAll } from "./regex.ts";

describe("regexReplaceAll()", () => {
  // Results of Go's regexp.ReplaceAllString.
  test.each([
    ["a(x*)b", "-ab-axxb-", "T", "-T-T-"],
    ["a(x*)b", "-ab-axxb-", "$1", "--xx-"],
    ["a(x*)b", "-ab-axxb-", "$1W", "---"],
    ["a(x*)b", "-ab-axxb-", `$${"{1}W"}`, "-W-xxW-"],
    ["a*", "baaac", "x", "xbxcx"],
    ["", "abc", "-", "-a-b-c-"],
    ["(?P<first>\\w+) (\\w+)", "hello world", `$2 $${"{first}"} $$`, "world hello $"],
    ["(?i)HUB", "hub Hub", "x", "x x"],
    ["a|ab", "ab", "x", "xb"],
    ["a+?", "aa", "x", "xx"],
    ["[^a-z0-9-]+", "My_App.v1", "-", "-y-pp-v1"],
    ["[^a]", "a[^b", "x", "axxx"],
    ["^a", "aaa", "x", "xaa"],
    ["\\bfoo\\b", "foo food foo", "x", "x food x"],
    ["x{2,3}", "xxxxx", "y", "yy"],
    [".", "é😀", "x", "xx"],
  ])("replaces %j in %j by %j", (pattern, text, replacement, expected) => {
    expect(regexReplaceAll(pattern, text, replacement)).toBe(expected);
  });
});

describe("regexMatch()", () => {
  test("agrees with JavaScript where the two syntaxes are the same", () => {
    const atom = fc.constantFrom("a", "b", ".", "[ab]", "[^a]", "\\d", "(a|b)", "(?:ab)", "^", "$", "\\b", "c?");
    const piece = fc
      .tuple(atom, fc.constantFrom("", "", "*", "+", "?", "*?", "{2}", "{1,2}"))
      .map(([one, repeat]) => (/^[\^$]|\\b|c\?/.test(one) ? one : one + repeat));
    const pattern = fc.array(fc.oneof(piece, fc.constant("|")), { maxLength: 6 }).map((parts) => parts.join(""));
    const text = fc.array(fc.constantFrom("a", "b", "c", "1", "-"), { maxLength: 8 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(pattern, text, (source, subject) => {
        expect(regexMatch(source, subject)).toBe(new RegExp(source, "u").test(subject));
      }),
      { numRuns: 2000 },
    );
  });

  test("takes linear time where backtracking takes exponential time", () => {
    const text = `${"a".repeat(5000)}b`;
    expect(regexMatch("^(a+)+$", text)).toBe(false);
    expect(regexMatch("^(a|a)*$", text)).toBe(false);
  });

  test.each(["(", ")", "[a", "*a", "a**", "(?=a)", "(?<!a)b", "\\1", "a{2000}", "[b-a]", "\\q"])(
    "rejects %j",
    (pattern) => {
      expect(() => regexMatch(pattern, "a")).toThrow("the regular expression");
    },
  );
});
