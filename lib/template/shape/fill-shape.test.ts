import { describe, expect, it } from "vitest";
import { fillShape } from "./fill-shape.ts";
import type { Shape } from "./shape.ts";

const POSITION = ["t", 3, 7] as const;
const value = (index: number): Shape => ["value", index, POSITION];
const fill = (shape: Shape, values: readonly unknown[] = [], base = 0) => fillShape(shape, new WeakMap())(values, base);

describe("fillShape()", () => {
  it.each<[string, Shape, readonly unknown[], unknown]>([
    ["a constant", ["static", { a: [1] }], [], { a: [1] }],
    ["nothing", ["static", undefined as never], [], undefined],
    ["a text as a value", value(0), ["a"], "a"],
    ["a number", value(1), ["x", 5], 5],
    ["an empty text", value(0), [""], ""],
    ["false", value(0), [false], false],
    ["null, which is left out", value(0), [null], undefined],
    ["a value that is missing", value(0), [], undefined],
    ["a map without what deletes", value(0), [{ a: null, b: 1, $patch: "x" }], { b: 1 }],
    ["values in a text", ["text", ["a-", [0, POSITION], "-", [1, POSITION]]], ["x", 5], "a-x-5"],
    ["a list in a text", ["text", [[0, POSITION], "!"]], [["a", 1]], "a,1!"],
    ["a missing value in a text", ["text", ["a", [0, POSITION]]], [null], "a"],
    ["a list without what is left out", ["list", [value(0), ["static", 1], value(1)]], [null, "b"], [1, "b"]],
    [
      "a map without what is left out",
      [
        "map",
        [
          ["a", value(0)],
          ["b", value(1)],
          ["c", ["static", null]],
        ],
      ],
      [1],
      { a: 1, c: null },
    ],
    [
      "a name and a value",
      [
        "map",
        [
          ["name", ["static", "A"]],
          ["value", value(0)],
        ],
      ],
      ["x"],
      { name: "A", value: "x" },
    ],
    [
      "a name without a value",
      [
        "map",
        [
          ["name", ["static", "A"]],
          ["value", value(0)],
        ],
      ],
      [],
      { name: "A" },
    ],
    [
      "a name that is a value",
      [
        "map",
        [
          ["name", value(0)],
          ["value", value(1)],
        ],
      ],
      ["A", "x"],
      { name: "A", value: "x" },
    ],
    [
      "a value before its name",
      [
        "map",
        [
          ["value", value(0)],
          ["name", ["static", "A"]],
        ],
      ],
      ["x"],
      { value: "x", name: "A" },
    ],
    [
      "a name and another field",
      [
        "map",
        [
          ["name", ["static", "A"]],
          ["other", value(0)],
        ],
      ],
      ["x"],
      { name: "A", other: "x" },
    ],
    [
      "a name, a value and more",
      [
        "map",
        [
          ["name", ["static", "A"]],
          ["value", value(0)],
          ["b", value(0)],
        ],
      ],
      ["x"],
      { name: "A", value: "x", b: "x" },
    ],
    ["a key that is a value", ["map", [[[[0, POSITION]], ["static", 1]]]], ["k"], { k: 1 }],
    ["a key with a value in it", ["map", [[["x-", [0, POSITION]], value(1)]]], ["k", 2], { "x-k": 2 }],
    ["a key without a value", ["map", [[[[0, POSITION]], value(1)]]], ["k"], {}],
    [
      "an empty key, which is left out",
      [
        "map",
        [
          [[[0, POSITION]], ["static", 1]],
          ["b", ["static", 2]],
        ],
      ],
      [""],
      { b: 2 },
    ],
    [
      "a directive from a value, which is left out",
      [
        "map",
        [
          [[[0, POSITION]], ["static", 1]],
          ["b", ["static", 2]],
        ],
      ],
      ["$patch"],
      { b: 2 },
    ],
    [
      "a directive of the template's",
      [
        "map",
        [
          ["$patch", ["static", "delete"]],
          [[[0, POSITION]], ["static", 1]],
        ],
      ],
      ["k"],
      { $patch: "delete", k: 1 },
    ],
    [
      "the later of two equal keys",
      [
        "map",
        [
          ["k", ["static", 1]],
          [[[0, POSITION]], ["static", 2]],
        ],
      ],
      ["k"],
      { k: 2 },
    ],
    [
      "a part whose values come later",
      ["list", [["at", 1, ["list", [value(0), value(1)]]], value(0)]],
      ["a", "b", "c"],
      [["b", "c"], "a"],
    ],
    ["a part whose values begin with the whole's", ["at", 0, value(1)], ["a", "b"], "b"],
  ])("fills %s", (_what, shape, values, expected) => {
    expect(fill(shape, values)).toEqual(expected);
  });

  it("begins with the first value that it is told", () => {
    expect(fill(["list", [value(0), ["text", ["x", [1, POSITION]]], ["at", 1, value(0)]]], ["-", "a", "b"], 1)).toEqual(
      ["a", "xb", "b"],
    );
  });

  it.each<[string, Shape, unknown]>([
    ["a key of the template's", ["map", [["__proto__", value(0)]]], { x: 1 }],
    ["a key from a value", ["map", [[[[1, POSITION]], value(0)]]], { x: 1 }],
  ])("makes __proto__ an entry like any other: %s", (_what, shape, given) => {
    const map = fill(shape, [given, "__proto__"]) as object;
    expect(Object.keys(map)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(map)).toBe(Object.prototype);
  });

  it("gives a constant as a frozen copy, the same each time", () => {
    const constant = { a: [{ b: 1 }], c: undefined as never };
    const made = fillShape(["static", constant], new WeakMap());
    const first = made([], 0) as typeof constant;
    expect(first).toEqual({ a: [{ b: 1 }] });
    expect(Object.keys(first)).toEqual(["a"]);
    expect([first, first.a, first.a[0]].every(Object.isFrozen)).toBe(true);
    expect(made([], 0)).toBe(first);
    expect(Object.isFrozen(constant)).toBe(false);
  });

  it("makes one filler of a shape, and one constant of a part that two shapes share", () => {
    const known = new WeakMap();
    const part: Shape = ["static", { a: 1 }];
    const shape: Shape = ["list", [part, part, value(0)]];
    expect(fillShape(shape, known)).toBe(fillShape(shape, known));
    const [first, second] = fillShape(shape, known)([{}], 0) as readonly unknown[];
    expect(first).toBe(second);
  });

  it.each<[string, Shape, unknown, string]>([
    ["as a value", value(0), () => 1, "the value is a function"],
    ["as a value that is no number", value(0), Number.NaN, "the value is not a finite number"],
    ["in a text", ["text", ["a", [0, POSITION]]], { a: 1 }, "an object cannot be part of a text"],
    [
      "in a key",
      [
        "map",
        [
          [
            ["a", [0, POSITION]],
            ["static", 1],
          ],
        ],
      ],
      { a: 1 },
      "an object cannot be part of a text",
    ],
  ])("names the place of what cannot be written %s", (_what, shape, given, reason) => {
    const run = () => fill(shape, [given]);
    expect(run).toThrow(`Cannot render template "t": ${reason}`);
    expect(run).toThrow("(line 3, column 7)");
  });
});
