import type { JsonObject, JsonValue } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { parseYamlDocuments } from "../parse-yaml.ts";
import { editDocument, rebase } from "./edit-document.ts";

/** Texts, each with the value that it should have, and the text that has it. */
const EDITS: readonly (readonly [what: string, text: string, wanted: JsonValue, edited: string])[] = [
  ["nothing differs", "a:  1 # one\n\n", { a: 1 }, "a:  1 # one\n\n"],
  ["a scalar differs", "a:  1   # one\nb: 2\n", { a: 3, b: 2 }, "a:  3   # one\nb: 2\n"],
  ["a scalar has quotes", "a: \"x\"\nb: 'k'\n", { a: "1", b: "it's" }, "a: \"1\"\nb: 'it''s'\n"],
  ["text looks like a number", "a: x\n", { a: "1" }, 'a: "1"\n'],
  ["a value is not written", "a:\nb: # none\n", { a: 1, b: { c: 2 } }, "a: 1\nb: # none\n  c: 2\n"],
  [
    "an entry is new",
    "a:\n    b: 1   # one\n# end\n",
    { a: { b: 1, c: 2 } },
    "a:\n    b: 1   # one\n    c: 2\n# end\n",
  ],
  ["entries are new on two levels", "a:\n  b: 1\n", { a: { b: 1, c: 2 }, d: 3 }, "a:\n  b: 1\n  c: 2\nd: 3\n"],
  ["the last line has no end", "a: 1", { a: 1, b: 2 }, "a: 1\nb: 2"],
  ["lines end with CRLF", "a: 1\r\nb:\r\n- x\r\n", { a: 1, b: ["x", "k"] }, "a: 1\r\nb:\r\n- x\r\n- k\r\n"],
  ["an entry is new where the next line goes", "a:\n  b: 1\nd: 2\n", { a: { b: 1, c: 2 } }, "a:\n  b: 1\n  c: 2\n"],
  ["an item is new where the next line goes", "a:\n- b\nd: 2\n", { a: ["b", "c"] }, "a:\n- b\n- c\n"],
  ["an entry is gone", "a: 1\nb: # x\n  c: 2\nd: 3\n", { a: 1, d: 3 }, "a: 1\nd: 3\n"],
  ["the first entry of an item is gone", "- a: 1\n  b: 2\n- c\n", [{ b: 2 }, "c"], "- b: 2\n- c\n"],
  [
    "an item is new at the start",
    "a:\n  # x\n  - name: x\n",
    { a: [{ name: "k" }, { name: "x" }] },
    "a:\n  - name: k\n  # x\n  - name: x\n",
  ],
  [
    "an item is new at the end",
    "a:\n- name: x # x\n\nb: 1\n",
    { a: [{ name: "x" }, { name: "k" }], b: 1 },
    "a:\n- name: x # x\n- name: k\n\nb: 1\n",
  ],
  [
    "an item changes",
    "a:\n- name: x # x\n  b: 1\n",
    { a: [{ name: "x", b: 2, c: ["d"] }] },
    "a:\n- name: x # x\n  b: 2\n  c:\n  - d\n",
  ],
  [
    "an item of a List changes",
    "items:\n- kind: A\n  metadata: {name: x} # x\n  b: 1\n- kind: A\n  metadata: {name: z} # z\n",
    {
      items: [
        { kind: "A", metadata: { name: "x", labels: { c: "d" } }, b: 2 },
        { kind: "A", metadata: { name: "z" }, b: 1 },
      ],
    },
    "items:\n- kind: A\n  metadata: {name: x, labels: {c: d}} # x\n  b: 2\n- kind: A\n  metadata: {name: z} # z\n  b: 1\n",
  ],
  ["an argument changes", "- a # a\n- b # b\n", ["a", "c"], "- a # a\n- c # b\n"],
  ["items are gone", "- a\n# b\n- b\n# c\n- c\n", ["c"], "# c\n- c\n"],
  ["lists are in lists", "- - a\n  - b\n", [["x", "a", "b", "c"]], "- - x\n  - a\n  - b\n  - c\n"],
  ["a block scalar is last", "a: |\n  x\n", { a: "x\n", b: 1 }, "a: |\n  x\nb: 1\n"],
  ["a block scalar is replaced", "a: |\n  x\nb: 1\n", { a: "k", b: 1 }, "a: k\nb: 1\n"],
  ["lists are indented", "a:\n    - x\n", { a: ["x"], b: [{ c: ["d"] }] }, "a:\n    - x\nb:\n  - c:\n      - d\n"],
  ["a mapping is in flow style", "a: {b: 1} # x\n", { a: { b: 1, "c d": "yes" } }, 'a: {b: 1, "c d": "yes"} # x\n'],
  ["a list is in flow style", "a: [x, k,]\n", { a: ["w", "x", "z"] }, "a: [w, x, z,]\n"],
  ["flow style goes over lines", "a: [\n  x,\n  k\n]\n", { a: ["x", "k", "z"] }, "a: [\n  x,\n  k,\n  z\n]\n"],
  ["a mapping is empty", "a: {} # x\nb: []\n", { a: { c: 1 }, b: ["d"] }, "a: # x\n  c: 1\nb:\n- d\n"],
  ["it becomes empty", "a:\n  b: 1\nc: 2\n", { a: {}, c: 2 }, "a:\n  {}\nc: 2\n"],
  [
    "an alias changes",
    "a: &x\n  b: 1\nc: *x\n",
    { a: { b: 1 }, c: { b: 1, d: 2 } },
    "a: &x\n  b: 1\nc:\n  b: 1\n  d: 2\n",
  ],
  [
    "an anchor changes",
    "a: &x\n  b: 1\nc: *x\n",
    { a: { b: 1, d: 2 }, c: { b: 1 } },
    "a: &x\n  b: 1\n  d: 2\nc:\n  b: 1\n",
  ],
  [
    "a merged entry changes",
    "a: &x {b: 1}\nc:\n  <<: *x\n",
    { a: { b: 1 }, c: { b: 2 } },
    "a: &x {b: 1}\nc:\n  <<: *x\n  b: 2\n",
  ],
  ["a tag does not fit", "a: !!str 1\n", { a: 2 }, "a: 2\n"],
  ["it is JSON on one line", '{"a": {"b": 1}}', { a: { b: 1, c: "d" } }, '{"a": {"b": 1, "c": "d"}}'],
  [
    "it is JSON without spaces",
    '{"a":{"b":1},"l":[1]}',
    { a: { b: 1, c: "d" }, l: [1, 2] },
    '{"a":{"b":1,"c":"d"},"l":[1,2]}',
  ],
  [
    "it is JSON on several lines",
    '{\n    "a": [\n        "\\/b"\n    ]\n}\n',
    { a: ["/b", { c: [1] }], d: {} },
    '{\n    "a": [\n        "\\/b",\n        {\n            "c": [\n                1\n            ]\n        }\n    ],\n    "d": {}\n}\n',
  ],
  ["keys are unusual", "? a\n: 1\non: 2\n1.5: 3\n", { a: 1, true: 4, "1.5": 3 }, "? a\n: 1\non: 4\n1.5: 3\n"],
  ["a key is given twice", "a: 1\na: 2\n", { a: 3 }, "a: 1\na: 3\n"],
  ["text has several lines", "a: x\n", { a: "x\ny\n", b: "x\ny\n" }, 'a: "x\\ny\\n"\nb: |\n  x\n  y\n'],
];

describe("editDocument()", () => {
  it("writes new keys in the order of the value where that is asked for", () => {
    const wanted = { list: ["a", { name: "b", match: { z: 1, c: 2 } }] };
    const written = "list: # one\n- a\n- name: b\n  match:\n    z: 1\n    c: 2\n";
    expect(editDocument("list: # one\n- a\n", wanted, { keepsOrder: true })).toBe(written);
  });

  it.each(EDITS)("changes nothing else when %s", (_, text, wanted, edited) => {
    expect(editDocument(text, wanted)).toBe(edited);
  });

  it("reads its own results as what was wanted", () => {
    for (const [what, text, wanted] of EDITS) {
      const [document] = parseYamlDocuments(`${editDocument(text, wanted)}`, "f");
      expect([what, document?.value]).toEqual([what, wanted]);
    }
  });

  it.each([
    ["a merged entry is gone", "a: &x {b: 1, c: 2}\nd:\n  <<: *x\n", { a: { b: 1, c: 2 }, d: { b: 1 } }],
    ["an anchor is gone that an alias needs", "a: &x 1\nb: *x\n", { b: 1 }],
    ["it is not YAML", "a: [\n", {}],
    ["there is no document", "# nothing\n", { a: 1 }],
  ])("gives up when %s", (_, text, wanted) => {
    expect(editDocument(text, wanted)).toBeUndefined();
  });

  it.each([
    ["an object", { b: 1 }],
    ["an object in an object", { b: { c: [] } }],
    ["a list", [1]],
    ["a text", "{b}"],
    ["an empty object", {}],
  ])("writes %s that is new into a list of JSON without spaces, before and after an item", (_what, item) => {
    const list = [{ a: 1 }];
    for (const wanted of [
      [...list, item],
      [item, ...list],
    ])
      expect(editDocument(JSON.stringify({ l: list }), { l: wanted })).toBe(JSON.stringify({ l: wanted }));
  });

  /** The values that `a` and the only item of `b` are given, in each form that a document has. */
  const [SCALARS, TEXTS, MAPPINGS, LISTS, EMPTY, MORE]: readonly JsonObject[] = [
    { a: 2, b: [2] },
    { a: "x: y", b: ["- z"] },
    { a: { c: 1, d: [2] }, b: [{ c: 1, d: 2 }] },
    { a: [1, { c: 2 }], b: [[1]] },
    { a: {}, b: [[]] },
    { a: 1, b: [1, 2], c: { d: 3 } },
  ] as const;

  it.each([SCALARS, TEXTS, MAPPINGS, LISTS, EMPTY, MORE])("keeps JSON in its form for %j", (wanted = {}) => {
    const start = { a: 1, b: [1] };
    const compact = (value: unknown) => `${JSON.stringify(value)}\n`;
    const onLines = (value: unknown) => `${JSON.stringify(value, undefined, 2)}\n`;
    const onOneLine = (value: unknown) => compact(value).replaceAll(/[:,](?=\S)/g, "$& ");
    expect(editDocument(compact(start), wanted)).toBe(compact(wanted));
    expect(editDocument(onLines(start), wanted)).toBe(onLines(wanted));
    if (wanted !== TEXTS) expect(editDocument(onOneLine(start), wanted)).toBe(onOneLine(wanted));
  });

  it.each<readonly [JsonObject | undefined, string]>([
    [SCALARS, "{a: 2, b: [2]}"],
    [TEXTS, '{a: "x: y", b: ["- z"]}'],
    [MAPPINGS, "{a: {c: 1, d: [2]}, b: [{c: 1, d: 2}]}"],
    [LISTS, "{a: [1, {c: 2}], b: [[1]]}"],
    [EMPTY, "{a: {}, b: [[]]}"],
    [MORE, "{a: 1, b: [1, 2], c: {d: 3}}"],
    [{ b: [] }, "{b: []}"],
  ])("keeps a flow collection in its form for %j", (wanted = {}, expected) => {
    expect(editDocument("{a: 1, b: [1]}\n", wanted)).toBe(`${expected}\n`);
    if (Object.keys(wanted).length > 1) {
      expect(editDocument("x: {a: 1, b: [1]}\nz: 1\n", { x: wanted, z: 1 })).toBe(`x: ${expected}\nz: 1\n`);
    }
  });

  /** Lists in flow style, and what happens to them when `z` is new at the start, before the last and at the end. */
  it.each([
    ["[x, k]", "[z, x, k]", "[x, z, k]", "[x, k, z]"],
    ["[x, k,]", "[z, x, k,]", "[x, z, k,]", "[x, k, z,]"],
    ["[x,\n  k]", "[z, x,\n  k]", "[x,\n  z,\n  k]", "[x,\n  k,\n  z]"],
    ["[\n  x, k\n]", "[\n  z,\n  x, k\n]", "[\n  x, z, k\n]", "[\n  x, k, z\n]"],
    ["[\n  x,\n  k\n]", "[\n  z,\n  x,\n  k\n]", "[\n  x,\n  z,\n  k\n]", "[\n  x,\n  k,\n  z\n]"],
    ["[\n  x,\n    k]", "[\n  z,\n  x,\n    k]", "[\n  x,\n    z,\n    k]", "[\n  x,\n    k,\n    z]"],
  ])("writes an item into %j as its neighbours are written", (list, first, between, last) => {
    const edited = (...items: readonly string[]) => editDocument(`a: ${list}\nb: 1\n`, { a: items, b: 1 });
    expect(edited("z", "x", "k")).toBe(`a: ${first}\nb: 1\n`);
    expect(edited("x", "z", "k")).toBe(`a: ${between}\nb: 1\n`);
    expect(edited("x", "k", "z")).toBe(`a: ${last}\nb: 1\n`);
  });

  it.each([
    ["{x: 1, k: 2}", "{k: 2}", "{x: 1}", "{x: 1, k: 2, z: 3}"],
    ["{x: 1,\n  k: 2}", "{k: 2}", "{x: 1}", "{x: 1,\n  k: 2,\n  z: 3}"],
    ["{\n  x: 1, k: 2\n}", "{\n  k: 2\n}", "{\n  x: 1\n}", "{\n  x: 1, k: 2, z: 3\n}"],
    ["{\n  x: 1,\n  k: 2\n}", "{\n  k: 2\n}", "{\n  x: 1\n}", "{\n  x: 1,\n  k: 2,\n  z: 3\n}"],
  ])("takes entries out of %j, and writes one at its end", (mapping, last, first, more) => {
    const edited = (a: JsonObject) => editDocument(`a: ${mapping}\nb: 1\n`, { a, b: 1 });
    expect(edited({ k: 2 })).toBe(`a: ${last}\nb: 1\n`);
    expect(edited({ x: 1 })).toBe(`a: ${first}\nb: 1\n`);
    expect(edited({ x: 1, k: 2, z: 3 })).toBe(`a: ${more}\nb: 1\n`);
  });

  it.each<readonly [JsonObject | undefined, string, string]>([
    [SCALARS, "a: 2\nb:\n- 2\n", "a: 2\nb:\n    - 2\n"],
    [TEXTS, "a: 'x: y'\nb:\n- '- z'\n", "a: 'x: y'\nb:\n    - '- z'\n"],
    [MAPPINGS, "a:\n  c: 1\n  d:\n  - 2\nb:\n- c: 1\n  d: 2\n", "a:\n  c: 1\n  d:\n    - 2\nb:\n  - c: 1\n    d: 2\n"],
    [LISTS, "a:\n- 1\n- c: 2\nb:\n- - 1\n", "a:\n  - 1\n  - c: 2\nb:\n  - - 1\n"],
    [EMPTY, "a: {}\nb:\n- []\n", "a: {}\nb:\n  - []\n"],
    [MORE, "a: 1\nb:\n- 1\n- 2\nc:\n  d: 3\n", "a: 1\nb:\n    - 1\n    - 2\nc:\n  d: 3\n"],
  ])("indents lists as the document does for %j", (wanted = {}, flush, indented) => {
    expect(editDocument("a: 1\nb:\n- 1\n", wanted)).toBe(flush);
    expect(editDocument("a: 1\nb:\n    - 1\n", wanted)).toBe(indented);
  });
});

describe("flow style that would become a line that nobody reads", () => {
  const [x, y] = ["x".repeat(60), "y".repeat(60)];
  const long = { args: [x, y], name: "b" };
  /** The lines of `long`, after the first one indented by so much. */
  const lines = (indent: string) => [`args:`, `- ${x}`, `- ${y}`, "name: b"].join(`\n${indent}`);

  it.each<[string, string, JsonValue, string]>([
    [
      "a mapping below a key, whose keys stay in their order",
      "z: {c: 1, b: 2}\n",
      { z: { c: 1, b: 2, a: long } },
      `z:\n  c: 1\n  b: 2\n  a:\n    ${lines("    ")}\n`,
    ],
    ["a list below a key", "z: [{m: 1}]\n", { z: [{ m: 1 }, long] }, `z:\n- m: 1\n- ${lines("  ")}\n`],
    [
      "an item of a list",
      "- {name: q, b: 1}\n",
      [{ name: "q", b: 1, a: long }],
      `- name: q\n  b: 1\n  a:\n    ${lines("    ")}\n`,
    ],
    ["the whole document", "{b: 1}\n", { b: 1, a: long }, `b: 1\na:\n  ${lines("  ")}\n`],
    [
      "with a comment behind it",
      "z: {b: 1} # why\nk: 1\n",
      { z: { b: 1, a: long }, k: 1 },
      `z: # why\n  b: 1\n  a:\n    ${lines("    ")}\nk: 1\n`,
    ],
    [
      "in what is in flow style itself",
      "z: {k: {b: [{m: 1}]}}\n",
      { z: { k: { b: [{ m: 1 }, long] } } },
      `z:\n  k:\n    b:\n    - m: 1\n    - ${lines("      ")}\n`,
    ],
  ])("is written in block style: %s", (_what, text, wanted, expected) => {
    expect(editDocument(text, wanted)).toBe(expected);
  });

  it.each<[string, string, JsonValue]>([
    ["a comment in it", "z: {b: 1, # why\n  c: 2}\n", { z: { b: 1, c: 2, a: long } }],
    ["an anchor in it", "z: {b: &b 1}\nk: *b\n", { z: { b: 1, a: long }, k: 1 }],
    ["a tag in it", "z: {b: !!str 1}\n", { z: { b: "1", a: long } }],
    ["JSON", '{"z": {"b": 1}}\n', { z: { b: 1, a: long } }],
  ])("stays in flow style with %s", (_what, text, wanted) => {
    const edited = editDocument(text, wanted) ?? "";
    expect(edited).toMatch(/\{"?args"?: \[/);
    expect(parseYamlDocuments(edited, "edited")[0]?.value).toEqual(wanted);
  });

  it("stays where little is added", () => {
    const added = "x".repeat(80);
    expect(editDocument("z: {b: 1} # why\n", { z: { b: 1, a: added } })).toBe(`z: {b: 1, a: ${added}} # why\n`);
  });
});

describe("rebase()", () => {
  const own = { name: "own", policy: [], hooks: null, port: "1" };
  const read = { name: "own", port: "1" };

  it.each<[string, readonly JsonValue[], readonly JsonValue[], readonly JsonValue[]]>([
    ["stays", [read], [{ ...read, port: "2" }], [{ ...own, port: "2" }]],
    ["moves to the front", [{ name: "a" }, read], [read, { name: "a" }], [own, { name: "a" }]],
    ["moves to the back", [read, { name: "a" }], [{ name: "a" }, read], [{ name: "a" }, own]],
    ["comes anew", [{ name: "a" }], [{ name: "a" }, read], [{ name: "a" }, read]],
  ])("keeps what is written in an item that %s", (_what, before, after, expected) => {
    const written = before.map((item) => (item === read ? own : item));
    expect(rebase(written, before, after)).toEqual(expected);
  });
});
