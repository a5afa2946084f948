import { describe, expect, it } from "vitest";
import { ownErrorOf } from "../../../test/support/own-error-of.ts";
import { type Piece, placeholdersOf, shapeText } from "../bind/text-pieces.ts";
import { parseShape, shapeOfEntries, shapeOfItems } from "./parse-shape.ts";
import type { Shape } from "./shape.ts";

type Part = string | { readonly slot: number } | { readonly constant: unknown };

/** The shape of texts, and of slots and constants that are each in a line of their own of the template, in the column given. */
function parse(...parts: readonly Part[]) {
  const pieces = parts.map((part, index): Piece => {
    if (typeof part === "string") return { kind: "text", text: part, position: at(1, index + 1) };
    if ("slot" in part) return { kind: "slot", position: at(part.slot, index + 1) };
    return { kind: "constant", value: part.constant, position: at(1, index + 1) };
  });
  return parseShape(shapeText(pieces, "", placeholdersOf(pieces, "t"), "t"), "t");
}

const at = (column: number, line: number, source = "t") => ({ source, line, column });
const position = (column: number, line: number) => ["t", line, column] as const;
const slot = (column: number): Part => ({ slot: column });
const constant = (value: unknown): Part => ({ constant: value });

describe("parseShape()", () => {
  it.each<[string, readonly Part[], Shape]>([
    ["a constant map", ["a: 1\nb: [x, null]\nc: {d: true}\n"], ["static", { a: 1, b: ["x", null], c: { d: true } }]],
    ["nothing", [""], ["static", null]],
    ["a comment", ["# why\n"], ["static", null]],
    ["a field without a value, which is left out", ["a:\nb: 1\nc: null\n"], ["static", { b: 1, c: null }]],
    ["an item without a value, which is left out", ["- \n- 1\n"], ["static", [1]]],
    ["an empty map and list", ["a: {}\nb: []\n"], ["static", { a: {}, b: [] }]],
    ["a value", ["a: ", slot(4)], ["map", [["a", ["value", 0, position(4, 2)]]]]],
    [
      "a list of values",
      ["- ", slot(3), "\n- 1\n"],
      [
        "list",
        [
          ["value", 0, position(3, 2)],
          ["static", 1],
        ],
      ],
    ],
    ["a value in quotes", ["a: '", slot(5), "'"], ["map", [["a", ["text", [[0, position(5, 2)]]]]]]],
    ["a value with a tag of YAML", ["a: !!str ", slot(9)], ["map", [["a", ["text", [[0, position(9, 2)]]]]]]],
    ["a value in a text", ["a: x-", slot(6), "-y"], ["map", [["a", ["text", ["x-", [0, position(6, 2)], "-y"]]]]]],
    [
      "two values in a text",
      ["a: ", slot(4), slot(8)],
      [
        "map",
        [
          [
            "a",
            [
              "text",
              [
                [0, position(4, 2)],
                [1, position(8, 3)],
              ],
            ],
          ],
        ],
      ],
    ],
    [
      "a key with a value",
      ["x-", slot(3), ": 1"],
      [
        "map",
        [
          [
            ["x-", [0, position(3, 2)]],
            ["static", 1],
          ],
        ],
      ],
    ],
    [
      "a constant with its own type",
      ["a: ", constant(5), "\nb: ", constant({ c: [true] })],
      ["static", { a: 5, b: { c: [true] } }],
    ],
    ["a constant in quotes", ["a: '", constant(5), "'"], ["static", { a: "5" }]],
    [
      "constants in a text",
      ["a: x-", constant(5), constant(null), "-", constant(["y", 1])],
      ["static", { a: "x-5-y,1" }],
    ],
    [
      "a missing constant, which is left out",
      ["a: ", constant(undefined), "\nb: ", constant(null), "\nc: 1"],
      ["static", { c: 1 }],
    ],
    ["a constant text that is empty", ["a: ", constant("")], ["static", { a: "" }]],
    [
      "a constant beside a value",
      ["a: ", constant("x"), slot(9), constant("y")],
      ["map", [["a", ["text", ["x", [0, position(9, 3)], "y"]]]]],
    ],
    [
      "an empty constant beside a value",
      ["a: ", constant(""), slot(9)],
      ["map", [["a", ["text", [[0, position(9, 3)]]]]]],
    ],
    ["a key by a constant", [constant("k"), ": 1"], ["static", { k: 1 }]],
    ["a key that a constant makes empty, which is left out", ["'", constant(""), "': 1\nb: 2"], ["static", { b: 2 }]],
    [
      "a key that a constant makes a directive, which is left out",
      ["'", constant("$patch"), "': 1\nb: 2"],
      ["static", { b: 2 }],
    ],
    ["a directive of the template's own", ["$patch: delete"], ["static", { $patch: "delete" }]],
    ["a key of the name __proto__", ["__proto__: {a: 1}"], ["static", JSON.parse('{"__proto__": {"a": 1}}')]],
    [
      "what an alias repeats",
      ["a: &x ", slot(7), "\nb: *x"],
      [
        "map",
        [
          ["a", ["value", 0, position(7, 2)]],
          ["b", ["value", 0, position(7, 2)]],
        ],
      ],
    ],
    ["markers around the document", ["---\na: 1\n...\n# end\n---\n"], ["static", { a: 1 }]],
  ])("has the shape of %s", (_what, parts, shape) => {
    expect(parse(...parts).shape).toEqual(shape);
  });

  it("counts the values that a shape takes, in the order of the text", () => {
    const { shape, values } = parse("b: ", slot(4), "\na: [", constant(1), ", ", slot(9), "]\n");
    expect(values).toBe(2);
    expect(shape).toEqual([
      "map",
      [
        ["b", ["value", 0, position(4, 2)]],
        [
          "a",
          [
            "list",
            [
              ["static", 1],
              ["value", 1, position(9, 6)],
            ],
          ],
        ],
      ],
    ]);
    expect(parse("a: 1").values).toBe(0);
  });

  it("gives a slot that is written twice two values", () => {
    const twice: Piece = { kind: "slot", position: at(3, 1) };
    const dash: Piece = { kind: "text", text: "- ", position: at(1, 1) };
    const end: Piece = { kind: "text", text: "\n", position: at(1, 1) };
    const pieces = [dash, twice, end, dash, twice, end];
    expect(parseShape(shapeText(pieces, "", placeholdersOf(pieces, "t"), "t"), "t")).toEqual({
      values: 2,
      shape: [
        "list",
        [
          ["value", 0, position(3, 1)],
          ["value", 1, position(3, 1)],
        ],
      ],
    });
  });

  it.each<[string, readonly Part[], string, object]>([
    ["invalid YAML", ["a: 1\nb: {\n"], "it does not render valid YAML: ", {}],
    [
      "a key twice",
      ["a: 1\nb: 2\na: 3\n"],
      "it does not render valid YAML: a key is given twice in its mapping",
      { line: 3, column: 1 },
    ],
    ["two documents", ["a: 1\n---\nb: 2\n"], "it renders more than one YAML document", { line: 3, column: 1 }],
    ["an open quote", ["b: 'x\nc: y'\nd\n"], "the quote that opens here is not closed", { line: 1, column: 4 }],
    [
      "a slot in a comment",
      ["a: 1 # ", slot(8), "\n"],
      "the value of this tag is lost: the tag is in a YAML comment",
      { line: 2, column: 8 },
    ],
    ["an object in a text", ["a: x", constant({ b: 1 })], "an object cannot be part of a text", { line: 2, column: 1 }],
    [
      "a constant that is no JSON",
      ["a: ", constant(Number.NaN)],
      "the value is not a finite number",
      { line: 2, column: 1 },
    ],
  ])("refuses %s, with its place", (_what, parts, reason, place) => {
    const error = ownErrorOf(() => parse(...parts));
    expect(error).toMatchObject({ code: "template-render", path: "t", ...place });
    expect(error.message).toContain(`Cannot render template "t": ${reason}`);
  });

  it("shows braces for a value in what is wrong, and never its number", () => {
    const { message } = ownErrorOf(() => parse("a: *", slot(5), "\n"));
    expect(message).not.toMatch(/\u00a4/);
  });

  it("says of a partial behind a key how to write its tag", () => {
    const pieces: readonly Piece[] = [
      { kind: "text", text: "a: 1\nresources: ", position: at(1, 1) },
      { kind: "text", text: "limits: 1\n", position: at(1, 1, "partials/limits") },
    ];
    const error = ownErrorOf(() => parseShape(shapeText(pieces, "", placeholdersOf(pieces, "t"), "t"), "t"));
    expect(error).toMatchObject({ path: "t", line: 2, column: 1 });
    expect(error.message).toContain(
      'partial "limits" has fields, and follows a key on its line: write its tag on a line of its own, below the key and indented',
    );
    const own = ownErrorOf(() => parse("a: b: 1\n"));
    expect(own.message).toContain("it does not render valid YAML");
  });

  it("takes what is 256 levels deep, aliases included, and no more", () => {
    const deep = (levels: number, inner: string) => `${"[".repeat(levels)}${inner}${"]".repeat(levels)}`;
    const text = (levels: number) => `a: &x ${deep(200, "1")}\nb: ${deep(levels, "*x")}\n`;
    expect(parse(text(55)).values).toBe(0);
    const error = ownErrorOf(() => parse(text(56)));
    expect(error).toMatchObject({ code: "template-render", path: "t", line: 1, column: 1 });
    expect(error.message).toContain("its YAML is too large or too deep, or an alias contains itself");
  });
});

describe("shapes of parts", () => {
  const value: Shape = ["value", 0, position(1, 1)];

  it("are known where all parts are", () => {
    expect(
      shapeOfItems([
        ["static", 1],
        ["static", "a"],
      ]),
    ).toEqual(["static", [1, "a"]]);
    expect(shapeOfItems([])).toEqual(["static", []]);
    expect(shapeOfItems([["static", 1], value])).toEqual(["list", [["static", 1], value]]);
    expect(shapeOfEntries([["a", ["static", 1]]])).toEqual(["static", { a: 1 }]);
    expect(shapeOfEntries([])).toEqual(["static", {}]);
    expect(
      shapeOfEntries([
        ["a", ["static", 1]],
        ["b", value],
      ]),
    ).toEqual([
      "map",
      [
        ["a", ["static", 1]],
        ["b", value],
      ],
    ]);
    expect(
      shapeOfEntries([
        [
          ["x", [0, position(1, 1)]],
          ["static", 1],
        ],
      ]),
    ).toEqual([
      "map",
      [
        [
          ["x", [0, position(1, 1)]],
          ["static", 1],
        ],
      ],
    ]);
  });
});
