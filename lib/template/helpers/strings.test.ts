import { describe, expect, it } from "vitest";
import { stringHelpers } from "./strings.ts";

function call(name: keyof typeof stringHelpers, ...args: readonly unknown[]): unknown {
  return stringHelpers[name].run(args, {});
}

it.each<[keyof typeof stringHelpers, readonly unknown[], unknown]>([
  ["contains", ["b", "abc"], true],
  ["contains", ["d", "abc"], false],
  ["contains", ["", "abc"], true],
  ["contains", [1, 12], true],
  ["hasPrefix", ["a", "abc"], true],
  ["hasPrefix", ["c", "abc"], false],
  ["hasSuffix", ["c", "abc"], true],
  ["hasSuffix", ["a", "abc"], false],
  ["trunc", [0, "abc"], ""],
  ["trunc", [3, "abc"], "abc"],
  ["trunc", [-3, "abc"], "abc"],
  ["trunc", [-4, "abc"], "abc"],
  ["trunc", [-1, "abc"], "c"],
  ["trunc", ["2", "abc"], "ab"],
  // No character outside of the basic plane is cut in two.
  ["trunc", [1, "😀b"], ""],
  ["trunc", [2, "😀b"], "😀"],
  ["trunc", [3, "a😀b"], "a😀"],
  ["trunc", [2, "a😀b"], "a"],
  ["trunc", [-1, "a😀"], ""],
  ["trunc", [-2, "a😀"], "😀"],
  ["trim", ["\t a b \n"], "a b"],
  ["trimAll", ["ab", "abcab"], "c"],
  ["trimAll", ["ab", "cabc"], "cabc"],
  ["trimAll", ["ab", "abc"], "c"],
  ["trimAll", ["ab", "cba"], "c"],
  ["trimAll", ["a", "aaa"], ""],
  ["trimAll", ["", "a"], "a"],
  ["trimAll", ["😀", "😀a😀"], "a"],
  ["trimAll", ["😀", "😀😀"], ""],
  ["trimAll", ["😀a", "a😀b"], "b"],
  ["trimAll", ["a", "a😀a"], "😀"],
  ["trimPrefix", ["a", "aab"], "ab"],
  ["trimPrefix", ["b", "aab"], "aab"],
  ["trimPrefix", ["", "a"], "a"],
  ["trimSuffix", ["b", "abb"], "ab"],
  ["trimSuffix", ["a", "abb"], "abb"],
  ["trimSuffix", ["", "a"], "a"],
  ["toLower", ["ÄB"], "äb"],
  ["lower", ["ÄB"], "äb"],
  ["toUpper", ["äb"], "ÄB"],
  ["upper", ["äb"], "ÄB"],
  ["replace", ["a", "$1", "banana"], "b$1n$1n$1"],
  ["replace", ["a", "", "banana"], "bnn"],
  ["replace", ["x", "y", "banana"], "banana"],
  ["cat", ["a", null, undefined, "", 0, false], "a  0 false"],
  ["cat", [], ""],
  ["repeat", [0, "ab"], ""],
  ["repeat", [-1, "ab"], ""],
  ["repeat", [2, "ab"], "abab"],
  ["nospace", [" a\tb\n c"], "abc"],
  ["base", [""], "."],
  ["base", ["/"], "/"],
  ["base", ["///"], "/"],
  ["base", ["a"], "a"],
  ["base", ["/a"], "a"],
  ["base", ["a/b"], "b"],
  ["base", ["/a/b//"], "b"],
  ["join", ["-", ["a", 1, null, true]], "a-1--true"],
  ["join", ["-", []], ""],
  ["join", ["", ["a", "b"]], "ab"],
  ["splitList", ["-", "a-b--c"], ["a", "b", "", "c"]],
  ["splitList", ["-", ""], [""]],
  ["splitList", ["-", "a"], ["a"]],
  ["split", ["-", "a-b"], { _0: "a", _1: "b" }],
  ["split", ["-", ""], { _0: "" }],
  ["quote", ['a"\n', null, 1, undefined, ""], '"a\\"\\n" "1" ""'],
  ["squote", ["a", null, 1, ""], "'a' '1' ''"],
  ["printf", ["%s-%d", "a", 1], "a-1"],
  ["directory", ["/a/b"], "/a/"],
  ["directory", ["/a/"], "/a/"],
  ["directory", ["a"], ""],
  ["directory", ["/"], "/"],
])("%s %j is %j", (name, args, result) => {
  expect(call(name, ...args)).toEqual(result);
});

describe("a text that is made", () => {
  it("is repeated to 65,536 characters", () => {
    expect(call("repeat", 65_536, "a")).toHaveLength(65_536);
    expect(() => call("repeat", 65_537, "a")).toThrow("a text is repeated to more than 65536 characters");
  });

  it("is joined with separators of 16 million characters in all", () => {
    const separator = "x".repeat(1_000_000);
    expect(call("join", separator, Array(16).fill(""))).toHaveLength(15_000_000);
    expect(() => call("join", separator, Array(17).fill(""))).toThrow(RangeError);
  });

  it("is no longer than 16 million characters where one text replaces another, and short where there is none to replace", () => {
    const to = "x".repeat(1_000_000);
    expect(call("replace", "a", to, "a".repeat(14))).toHaveLength(14_000_000);
    expect(() => call("replace", "a", to, "a".repeat(17))).toThrow(RangeError);
    expect(call("replace", "b", to, "a".repeat(100))).toBe("a".repeat(100));
  });
});
