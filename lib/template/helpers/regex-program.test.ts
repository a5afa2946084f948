import { describe, expect, it } from "vitest";
import { regexMatch, regexReplaceAll } from "./regex.ts";
import { parseRegex } from "./regex-parser.ts";

describe("a program", () => {
  const opsOf = (pattern: string) =>
    parseRegex(pattern).instructions.map((each) => {
      if (each.op === "split") return `split ${each.first} ${each.second}`;
      if (each.op === "jump") return `jump ${each.to}`;
      if (each.op === "save") return `save ${each.slot}`;
      return each.op === "assert" ? `assert ${each.at}` : each.op;
    });

  it.each([
    ["a", ["save 0", "set", "save 1", "match"]],
    ["^(a)(?:b)$", ["save 0", "assert start", "save 2", "set", "save 3", "set", "assert end", "save 1", "match"]],
    ["a|b|c", ["save 0", "split 2 4", "set", "jump 8", "split 5 7", "set", "jump 8", "set", "save 1", "match"]],
    ["a?", ["save 0", "split 2 3", "set", "save 1", "match"]],
    ["a??", ["save 0", "split 3 2", "set", "save 1", "match"]],
    ["a*", ["save 0", "split 2 4", "set", "jump 1", "save 1", "match"]],
    ["a*?", ["save 0", "split 4 2", "set", "jump 1", "save 1", "match"]],
    ["a+", ["save 0", "set", "split 1 3", "save 1", "match"]],
    ["a+?", ["save 0", "set", "split 3 1", "save 1", "match"]],
    // What may be nothing is tried once, and then again while it is something.
    ["(?:a?)*", ["save 0", "split 2 5", "split 3 4", "set", "split 2 5", "save 1", "match"]],
    ["a{2}", ["save 0", "set", "set", "save 1", "match"]],
    ["a{2,}", ["save 0", "set", "set", "split 2 4", "save 1", "match"]],
    ["a{1,3}", ["save 0", "set", "split 3 6", "set", "split 5 6", "set", "save 1", "match"]],
    ["a{0}", ["save 0", "save 1", "match"]],
  ])("of %s is %j", (pattern, ops) => {
    expect(opsOf(pattern)).toEqual(ops);
  });

  it("knows its groups, and their names", () => {
    const { groups, names } = parseRegex("(a)(?:b)(?P<x>c)(?<y>d)");
    expect(groups).toBe(4);
    expect([...names]).toEqual([
      ["x", 2],
      ["y", 3],
    ]);
  });

  it("is refused where it is too large", () => {
    expect(() => parseRegex("(?:a{1000}){1}".repeat(21))).toThrow("the regular expression is too large");
    expect(regexMatch(parseRegex("(?:a{1000}){1}".repeat(2)), "a".repeat(2000))).toBe(true);
  });
});

it.each([
  ["(|a)*", "aa", "-a-a-"],
  ["(|a)+", "aa", "-a-a-"],
  ["(?:^)*a", "aa", "--"],
  ["(a|b*)*", "abc", "-c-"],
  ["(?:a*b?)+", "aabc", "-c-"],
])("%s takes of %s what Go takes", (pattern, text, replaced) => {
  expect(regexReplaceAll(parseRegex(pattern), text, "-")).toBe(replaced);
});
