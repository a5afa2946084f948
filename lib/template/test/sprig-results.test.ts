import { OutriggerError } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { type HelperTable, helpers } from "../index.ts";

const TABLE: HelperTable = helpers;

describe("helpers of Sprig's", () => {
  // Printed by a Go program that calls Sprig 3.3.0 with these arguments.
  it.each<[name: string, args: readonly unknown[], result: unknown]>([
    ["repeat", [3, "ab"], "ababab"],
    ["repeat", [0, "ab"], ""],
    ["cat", ["a", 1, true], "a 1 true"],
    ["cat", ["a", null, "b"], "a b"],
    ["nospace", [" a b\tc\n"], "abc"],
    ["base", ["/a/b.txt"], "b.txt"],
    ["base", [""], "."],
    ["base", ["/a/"], "a"],
    ["rest", [["a", "b", "c"]], ["b", "c"]],
    ["rest", [["a"]], []],
    ["initial", [["a", "b", "c"]], ["a", "b"]],
    ["reverse", [["a", "b", "c"]], ["c", "b", "a"]],
    ["sortAlpha", [["b", "a", "C", 1]], ["1", "C", "a", "b"]],
    ["mul", [2, 3, 4], 24],
    ["mul", ["2", 3], 6],
    ["div", [7, 2], 3],
    ["div", [-7, 2], -3],
    ["mod", [7, 3], 1],
    ["mod", [-7, 3], -1],
    ["max", [1, 5, 3], 5],
    ["max", ["7", 2], 7],
    ["min", [4, 2, 3], 2],
    ["add1", [4], 5],
    ["add1", ["4"], 5],
    ["dig", ["a", "b", "d", { a: { b: "x" } }], "x"],
    ["dig", ["a", "c", "d", { a: { b: "x" } }], "d"],
    ["dig", ["a", "d", {}], "d"],
    ["any", ["", 0, "x"], true],
    ["any", ["", 0], false],
    ["all", ["a", 1], true],
    ["all", ["a", ""], false],
    ["deepCopy", [{ a: [1] }], { a: [1] }],
    ["mergeOverwrite", [{ a: { b: 1, c: 2 } }, { a: { c: 3, d: 4 } }], { a: { b: 1, c: 3, d: 4 } }],
    ["mergeOverwrite", [{ a: 1 }, { a: 0, b: 2 }], { a: 0, b: 2 }],
    ["mergeOverwrite", [{ a: [1, 2] }, { a: [3] }], { a: [3] }],
    ["mergeOverwrite", [{ a: "x" }, { a: { b: 1 } }], { a: { b: 1 } }],
    ["mergeOverwrite", [{ a: { b: 1 } }, { a: "x" }], { a: "x" }],
    ["mergeOverwrite", [{ a: "x" }, { a: "" }], { a: "" }],
    ["mergeOverwrite", [{ a: true }, { a: false }], { a: false }],
    ["mergeOverwrite", [{ a: { b: 1 } }, { a: {} }], { a: { b: 1 } }],
    ["slice", [["a", "b", "c"], 1], ["b", "c"]],
    ["slice", [["a", "b", "c"], 1, 2], ["b"]],
  ])("%s %j is %j, as in Go", (name, args, result) => {
    expect(JSON.parse(JSON.stringify(TABLE[name]?.run(args, {})))).toEqual(result);
  });

  it.each<[string, readonly unknown[]]>([
    ["div", [1, 0]],
    ["mod", [1, "0"]],
    ["repeat", [1_000_000, "ab"]],
    ["mul", ["x"]],
    ["dig", ["a", "b", "d", { a: "text" }]],
  ])("%s %j is an error", (name, args) => {
    expect(() => TABLE[name]?.run(args, {})).toThrow(OutriggerError);
  });
});
