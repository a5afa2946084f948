import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { regexMatch, regexReplaceAll } from "./regex.ts";
import { parseRegex } from "./regex-parser.ts";

/** What Go refuses too, and classes of Unicode, which differ from one version of it to the next. */
const REFUSED = [
  ...[
    "[[:foo:]]",
    "a|{3}",
    "{1001}",
    "a*{2}",
    "a{2}{3}",
    "(?:a{500}){3}",
    "(?P<n>a)(?P<n>b)",
    "\\é",
    "\\7",
    "\\x{110000}",
  ],
  ...["(?-)", "(?z)", "\\E", "\\C", "\\pL", "[\\p{Greek}]"],
];

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
    ["(?:c{2}b+?|(.??))*", "aaca", "<$1>", "<>a<>a<>c<>a<>"],
    ["c?(a??)*", "bcaacc", "<$1>", "<>b<>a<>a<><>"],
    ["[[:space:]]+", "a \t[:spc", "_", "a_[:spc"],
    ["[[:^alpha:]-]", "a-1[", "_", "a___"],
    ["[a\\D]", "a1-", "_", "_1_"],
    ["(?s)a.b", "a\nb", "x", "x"],
    ["a.b", "a\nb", "x", "a\nb"],
    ["(?m)^|$", "a\nb", "<", "<a<\n<b<"],
    ["(?U)a+", "aaa", "x", "xxx"],
    ["(?i-s:K.)", "\u212ak", "x", "x"],
    ["(?i)[^k]", "kK\u212ax", "", "kK\u212a"],
    ["(?i)\\w", "\u017f\u212a", "x", "xx"],
    ["\\x41\\x{42}\\103\\0", "ABC\0", "x", "x"],
    ["\\Qa.*\\E+", "a.**", "x", "x"],
    ["a{01}|a{,2}", "a{01}a{,2}", "x", "xx"],
    ["[[:a]", "[:a", "x", "xxx"],
    ["\\_", "_", "x", "x"],
    ["((b*?b*?)+a?)a?\\B", "abcbbaca", "<$1>", "<a>b<>c<>b<>b<a>c<>a"],
    ["(c*?(a?c{0,2}?))+\\B", "abaccac", "<$1>", "<a>b<c>c<a>c"],
  ])("replaces %j in %j by %j", (pattern, text, replacement, expected) => {
    expect(regexReplaceAll(parseRegex(pattern), text, replacement)).toBe(expected);
  });
});

describe("regexReplaceAll(), of many matches", () => {
  test("takes linear time where each match looks at all that follows", () => {
    const text = "${".repeat(131_072);
    expect(regexReplaceAll(parseRegex("\\$\\{[^}]*\\}|\\$"), text, "")).toBe("{".repeat(131_072));
    expect(regexReplaceAll(parseRegex("a.*b|a"), "a".repeat(131_072), "x")).toBe("x".repeat(131_072));
  });

  test("rejects a text and a pattern that together are too large for the memory of a request", () => {
    expect(() => regexReplaceAll(parseRegex("[ab]{1000}"), "a".repeat(200_000), "")).toThrow("the text is too long");
  });

  test("agrees with JavaScript where the two syntaxes are the same", () => {
    const atom = fc.constantFrom("a", "b", ".", "[ab]", "[^a]", "(a|b)", "(?:ab|a)", "\\b", "(b*)", "(?:a|b?)");
    const piece = fc
      .tuple(atom, fc.constantFrom("", "*", "+", "?", "*?", "{1,2}"))
      .map(([one, repeat]) => (one === "\\b" ? one : one + repeat));
    const pattern = fc.array(fc.oneof(piece, fc.constant("|")), { maxLength: 6 }).map((parts) => parts.join(""));
    const text = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 10 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(pattern, text, (source, subject) => {
        // Go matches nothing that is empty right after another match.
        let end = -1;
        const expected = subject.replace(new RegExp(source, "gu"), (match, ...rest) => {
          const at = rest.find((each) => typeof each === "number") ?? 0;
          const isSkipped = match === "" && at === end;
          end = at + match.length;
          return isSkipped ? "" : "-";
        });
        expect([source, subject, regexReplaceAll(parseRegex(source), subject, "-")]).toEqual([
          source,
          subject,
          expected,
        ]);
      }),
      { numRuns: 3000 },
    );
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
        expect(regexMatch(parseRegex(source), subject)).toBe(new RegExp(source, "u").test(subject));
      }),
      { numRuns: 2000 },
    );
  });

  test("takes linear time where backtracking takes exponential time", () => {
    const text = `${"a".repeat(5000)}b`;
    expect(regexMatch(parseRegex("^(a+)+$"), text)).toBe(false);
    expect(regexMatch(parseRegex("^(a|a)*$"), text)).toBe(false);
  });

  test.each(["(", ")", "[a", "*a", "a**", "(?=a)", "(?<!a)b", "\\1", "a{2000}", "[b-a]", "\\q", ...REFUSED])(
    "rejects %j",
    (pattern) => {
      expect(() => regexMatch(parseRegex(pattern), "a")).toThrow("the regular expression");
    },
  );
});
