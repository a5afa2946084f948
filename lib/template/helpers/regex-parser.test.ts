import { describe, expect, it, test } from "vitest";
import { regexMatch } from "./regex.ts";
import { parseRegex } from "./regex-parser.ts";

test("parseRegex() reads a pattern with 99 groups in each other, and rejects one with more", () => {
  const nested = (groups: number) => `${"(".repeat(groups)}a${")".repeat(groups)}`;
  expect(parseRegex(nested(99)).groups).toBe(100);
  expect(() => parseRegex(nested(100))).toThrow("is nested too deeply");
});

describe("a repetition", () => {
  it.each([
    "a{1000}",
    "a{1000,}",
    "a{0,1000}",
    "(a{10}){100}",
    "((a{10}){10}){10}",
    "(a{0}){1000}",
    "(a*){1000}",
    "(a+){1000}",
    "(a{2}|b{500}){2}",
  ])("%s is not too many", (pattern) => {
    expect(() => parseRegex(pattern)).not.toThrow();
  });

  it.each([
    "a{1001}",
    "a{1001,}",
    "a{1,1001}",
    "a{2,1}",
    "(a{10}){101}",
    "((a{10}){10}){11}",
    "(a{2}|b{501}){2}",
    "(xa{500}){3}",
  ])("%s is too many, or none", (pattern) => {
    expect(() => parseRegex(pattern)).toThrow(/repeats .*: use \{0\} to \{1000\}/);
  });

  it.each([
    ["a**", "repeats a repetition: put it in a group"],
    ["a+*", "repeats a repetition"],
    ["a??*", "repeats a repetition"],
    ["a{2}{3}", "repeats a repetition"],
    ["*", "has a * with nothing to repeat"],
    ["a|+", "has a + with nothing to repeat"],
    ["(?:?)", "has a ? with nothing to repeat"],
    ["({2})", "has a {2} with nothing to repeat"],
  ])("%s is refused: it %s", (pattern, reason) => {
    expect(() => parseRegex(pattern)).toThrow(`the regular expression ${reason}`);
  });

  it.each([
    ["^a{2}$", "aa", "aaa"],
    ["^a{2,}$", "aaa", "a"],
    ["^a{1,2}$", "a", "aaa"],
    ["^a{0}b$", "b", "ab"],
    ["^a{,2}$", "a{,2}", "aa"],
    ["^a{02}$", "a{02}", "aa"],
    ["^a{x}$", "a{x}", "aa"],
    ["^a{2$", "a{2", "aa"],
    ["^(ab)?$", "", "abab"],
    ["^(ab)+$", "abab", ""],
    ["^(ab)*$", "", "a"],
  ])("%s matches %j, and not %j", (pattern, yes, no) => {
    expect([regexMatch(parseRegex(pattern), yes), regexMatch(parseRegex(pattern), no)]).toEqual([true, false]);
  });
});

describe("a group", () => {
  it.each([
    ["^a(?i)b$", "aB", "AB"],
    ["^(?i:a)b$", "Ab", "AB"],
    ["^(?i)a(?-i)b$", "Ab", "AB"],
    ["^((?i)a)b$", "Ab", "AB"],
    ["^(?i)(a|b)$", "B", "c"],
    ["^(?:a|(?i)b)c$", "Bc", "Ac"],
    ["(?m)^b$", "a\nb\nc", "ab"],
    ["(?-m)^b$", "b", "a\nb"],
    ["a$", "ba", "a\n"],
    ["(?m)a$", "a\nb", "ab"],
    ["^(?s).$", "\n", ""],
    ["^.$", "x", "\n"],
    ["^(?s-i:a.)$", "a\n", "A\n"],
    ["^(?P<x>a)(?<y>b)$", "ab", "a"],
    ["^\\Qa.b\\E$", "a.b", "axb"],
    ["^\\Qa.b$", "a.b$", "axb"],
    ["^\\Qab\\E+$", "abb", "abab"],
    ["^\\Q\\Ea$", "a", ""],
    ["^(|a)$", "", "b"],
    ["^(a||b)$", "b", "ab"],
  ])("%s matches %j, and not %j", (pattern, yes, no) => {
    expect([regexMatch(parseRegex(pattern), yes), regexMatch(parseRegex(pattern), no)]).toEqual([true, false]);
  });

  it.each([
    ["(a", "has a ( that is not closed"],
    ["(?i:a", "has a ( that is not closed"],
    ["a)", "has a ) too many"],
    ["(?P<x>a)(?P<x>b)", "has two groups of the name x"],
    ["(?=a)", "has a group that is not supported: use (), (?:), (?P<name>) or (?imsU)"],
    ["(?P=x)", "has a group that is not supported"],
    ["(?z)", "has a group that is not supported"],
    ["(?i-)", "has a group that is not supported"],
  ])("%s is refused: it %s", (pattern, reason) => {
    expect(() => parseRegex(pattern)).toThrow(`the regular expression ${reason}`);
  });

  it("has a number where it holds something, and none where it does not", () => {
    expect(parseRegex("(a)(?:b)(?i)(?P<n>c)").groups).toBe(3);
    expect([...parseRegex("(a)(?P<n>b)").names]).toEqual([["n", 2]]);
  });
});
