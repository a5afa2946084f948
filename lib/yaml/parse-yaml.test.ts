import { describe, expect, it } from "vitest";
import { readTable } from "../../test/reference/read-reference.ts";
import { parseYaml, parseYamlDocuments } from "./parse-yaml.ts";

describe("parseYaml()", () => {
  it.each([
    ["on", true],
    ["0755", 493],
    ["0o755", 493],
    ["08", 8],
    ["1_000", 1000],
    ["1e3", 1000],
    ["12345678901234567890", 12345678901234567000],
    ["12:30:45", "12:30:45"],
    ["2024-01-01", "2024-01-01"],
    ["1e999", "1e999"],
    ["!!binary aGk=", "hi"],
    ["!custom 5", "5"],
    ["!custom {a: 1}", { a: 1 }],
    ["", null],
    ["# nothing", null],
  ])("reads %s as kubectl does when it is alone", (text, value) => {
    expect(parseYaml(text, "f")).toEqual(value);
  });

  it.each([
    ["a: |\n  x\n  y", "x\ny"],
    ["a: |+\n  x", "x"],
    ["a: >\n  x\n  y", "x y"],
    ["a: |\n  x\n", "x\n"],
    ["a: |\n  x\n  ", "x\n"],
    ["a: |\r\n  x\r\n", "x\n"],
    ["a: |", ""],
  ])("ends a block scalar with a line break when its text has one: %j", (text, a) => {
    expect(parseYaml(text, "f")).toEqual({ a });
  });

  it.each([
    ["a:\n-\nb: 1", { a: [null], b: 1 }],
    ["a:\n-\n? b\n: 1", { a: [null], b: 1 }],
    ["a:\n-\n- 1", { a: [null, 1] }],
    ["a:\n- b: 1\n-\nc: 2", { a: [{ b: 1 }, null], c: 2 }],
    ["a:\n  -\nb: 1", { a: [null], b: 1 }],
    ["a:\n-", { a: [null] }],
    ["-\n- 1\n-", [null, 1, null]],
    ["? a\nb: 1", { a: null, b: 1 }],
    ["a:\n? b\n", { a: null, b: null }],
  ])("reads an item or a value that is left out as null: %j", (text, value) => {
    expect(parseYaml(text, "f")).toEqual(value);
  });

  it.each([
    ["a\n---\nb", ["a", "b"]],
    ["a\n--- b", ["a", "b"]],
    ["a\n---\t\nb", ["a", "b"]],
    ["a\n---", ["a", null]],
    ["a\n...\n", ["a"]],
    ["a\n... # end\n--- b", ["a", "b"]],
    ["a\n----\nb", ["a ---- b"]],
    ["a\n--\nb", ["a -- b"]],
    ["a\n--. b", ["a --. b"]],
    ["a\n..- b", ["a ..- b"]],
    ["a\n---b", ["a ---b"]],
    ["a\n ---\nb", ["a --- b"]],
    ["a ---\nb", ["a --- b"]],
    ["a\n....", ["a ...."]],
    ["aaa : 1", [{ aaa: 1 }]],
    ["aaa\nbbb\nccc d", ["aaa bbb ccc d"]],
    ["'a\nbbb c'", ["a bbb c"]],
    ['"a\nbbb\n--- b"', undefined],
    ["'a\n...\n'", undefined],
    ["'a\n ---\n'", ["a --- "]],
    ["a: |\n xxx\n---\nb", [{ a: "xxx\n" }, "b"]],
  ])("ends a document at a line of three dashes or periods: %j", (text, values) => {
    const read = () => parseYamlDocuments(text, "f").map(({ value }) => value);
    if (values === undefined) expect(read).toThrow("is not closed");
    else expect(read()).toEqual(values);
  });

  it("makes keys text when they are booleans or numbers", () => {
    expect(parseYaml("on: 1\n0x10: 2", "f")).toEqual({ true: 1, 16: 2 });
    const integers = ["9007199254740993", "-9223372036854775808", "18446744073709551615"];
    for (const integer of integers) expect(parseYaml(`${integer}: 1`, "f")).toEqual({ [integer]: 1 });
    expect(parseYaml("18446744073709551616: 1", "f")).toEqual({ "1.8446744e+19": 1 });
  });

  it("resolves merge keys when an anchor is merged", () => {
    expect(parseYaml("a: &a {x: 1, z: 2}\nb: {<<: *a, z: 3}", "f")).toEqual({ a: { x: 1, z: 2 }, b: { x: 1, z: 3 } });
    expect(parseYaml("a: &a {y: 1, 2: 2}\nb: {<<: *a, y: 3, 2: 4}", "f")).toEqual({
      a: { true: 1, 2: 2 },
      b: { true: 3, 2: 4 },
    });
  });

  it("defines an own entry when a key is __proto__", () => {
    const value = parseYaml("__proto__: {polluted: true}", "f") as object;
    expect(Object.keys(value)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it.each([
    ["a key is given twice", "a: 1\nb: 2\na: 3", 3, 1],
    ["a collection is not closed", "a: [1", 1, 4],
    ["a collection ends no sooner than the next line", "a: ['1'\nb: 2", 1, 4],
    ["a collection is not closed, and a line is as deep", "x:\n  a: {b: '1'\n  c: 2\n", 2, 6],
    ["a collection is not closed, and a line is less deep", "x:\n  a: [[1]\nb: 2\n", 2, 6],
    ["a collection on lines of its own is not closed", "a:\n  [\n    1\n  ]\nb: {\nc: 2\n", 5, 4],
    ["a collection is not closed, and a line is deeper", "x:\n  a: ['1'\n    b: 2\n", 3, 5],
    ["a comma is missing in a collection of one line", "a: [[1] x]", 1, 9],
    ["a comma is missing in a collection of several lines", "a: [\n  [1]\n  [2]\n]", 3, 3],
    ["a number is infinite", "a: 1\nb: .inf", 2, 4],
    ["an alias is unknown", "a: 1\nb: *x", 2, 4],
    ["a key is a collection", "? [a]\n: 1", 1, 3],
    ["a key is null", "~: 1", 1, 1],
    ["a key is a list of an item that is left out", "?\n-\n: 1", 2, 1],
    ["a key is left out", "?\n: 1", 1, 2],
    ["a key is left out before another", "a: 1\n?\nb: 1", 2, 2],
    ["a key and its value are left out", "a: 1\n?", 2, 2],
    ["a second document follows", "a: 1\n---\nb: 1", 2, 1],
    ["an anchor contains itself", "&a [*a]", 1, 5],
  ])("says line and column when %s", (_, text, line, column) => {
    expect(() => parseYaml(text, "the file")).toThrow(
      expect.objectContaining({ code: "yaml-invalid", path: "the file", line, column }),
    );
  });

  it("gives the last of two values when the caller takes warnings", () => {
    const warnings: unknown[] = [];
    expect(parseYaml("a: 1\nb: 2\na: 3", "f", (warning) => warnings.push(warning))).toEqual({ a: 3, b: 2 });
    expect(warnings).toEqual([
      { message: "a key is given twice in its mapping: the last one counts", line: 3, column: 1 },
    ]);
  });

  it("never quotes the text in the message", () => {
    expect(() => parseYaml("password: [s3cret", "f")).toThrow(/^(?!.*s3cret)/s);
  });

  it("refuses quickly when aliases multiply", () => {
    const lines = ["a: &a [x, x, x, x, x, x, x, x, x]"];
    for (let at = 1; at < 12; at++) {
      const names = Array.from({ length: 9 }, () => `*${"abcdefghijkl"[at - 1]}`).join(", ");
      lines.push(`${"abcdefghijkl"[at]}: &${"abcdefghijkl"[at]} [${names}]`);
    }
    expect(() => parseYaml(lines.join("\n"), "f")).toThrow(/too large/);
  });

  it("refuses when nesting is deep", () => {
    expect(() => parseYaml("[".repeat(100_000), "f")).toThrow(expect.objectContaining({ code: "yaml-invalid" }));
  });

  it("agrees with every measured row", () => {
    for (const { yaml, json, error } of readTable<{ yaml: string; json?: unknown; error?: string }>("yaml-scalars")) {
      if (error === undefined) expect({ yaml, json: parseYaml(yaml, "f") }).toEqual({ yaml, json });
      else expect(() => parseYaml(yaml, "f"), yaml).toThrow(expect.objectContaining({ code: "yaml-invalid" }));
    }
  });
});

describe("parseYamlDocuments()", () => {
  it("gives each document the text that it was read from when there are several", () => {
    const text = "# first\n---\na: 1\n---\n\n--- {b: 2}\n---\r\nc: |\n  ----\n  x\n";
    const documents = parseYamlDocuments(text, "f");
    expect(documents.map(({ value }) => value)).toEqual([null, { a: 1 }, null, { b: 2 }, { c: "----\nx\n" }]);
    expect(documents.map(({ start, end }) => text.slice(start, end))).toEqual([
      "# first\n",
      "a: 1\n",
      "\n",
      " {b: 2}\n",
      "c: |\n  ----\n  x\n",
    ]);
    expect(documents.map(({ line }) => line)).toEqual([1, 3, 5, 6, 8]);
  });

  it("has one document when there is no separator, and none before a leading one", () => {
    expect(parseYamlDocuments("a: 1", "f")).toEqual([{ value: { a: 1 }, start: 0, end: 4, line: 1, warnings: [] }]);
    expect(parseYamlDocuments("---\na: 1", "f")).toEqual([
      { value: { a: 1 }, start: 4, end: 8, line: 2, warnings: [] },
    ]);
    expect(parseYamlDocuments("", "f")).toEqual([{ value: null, start: 0, end: 0, line: 1, warnings: [] }]);
  });

  it("counts lines in the whole stream when a later document is wrong", () => {
    expect(() => parseYamlDocuments("a: 1\n---\nb: 1\n- 2\n", "f")).toThrow(
      expect.objectContaining({ line: 4, column: 1 }),
    );
    expect(() => parseYamlDocuments("a: 1\n--- {b: 1, c: *x}\n", "f")).toThrow(
      expect.objectContaining({ line: 2, column: 15 }),
    );
    expect(() => parseYamlDocuments("a: [\n", "f")).toThrow(expect.objectContaining({ line: 1, column: 4 }));
  });

  it("ends the last line when the stream does not, as what reads a stream for kubectl does", () => {
    expect(parseYamlDocuments("a: |\n  x", "f")).toMatchObject([{ value: { a: "x\n" }, end: 8 }]);
  });

  it("takes the last value of a key that is given twice, and warns", () => {
    const [, document] = parseYamlDocuments("a: 1\n---\nb: 1\nc: {d: 1, d: 2}\nb: 3\n", "f");
    const message = "a key is given twice in its mapping: the last one counts";
    expect(document).toMatchObject({
      value: { b: 3, c: { d: 2 } },
      warnings: [
        { message, line: 4, column: 11 },
        { message, line: 5, column: 1 },
      ],
    });
  });

  it("reads the first of two documents that no --- separates, and warns, as kubectl does without the warning", () => {
    expect(parseYamlDocuments("a: 1\n...\nb: 2\n", "f")).toMatchObject([
      { value: { a: 1 }, warnings: [{ message: "what follows is not read: separate documents with ---", line: 3 }] },
    ]);
    expect(parseYamlDocuments("a: 1\n...\n# more\n", "f")).toMatchObject([{ value: { a: 1 }, warnings: [] }]);
  });

  it("reads ten thousands of directives as fast as of comments", () => {
    const directives = Array.from({ length: 40_000 }, (_, at) => `%TAG !e${at}! tag:x,2000:\n`).join("");
    expect(parseYaml(`${directives}---\na: 1\n`, "f")).toEqual({ a: 1 });
  });

  it("reads JSON documents one after the other", () => {
    const text = '{"a": "b\\/c\\ud83d\\ude00"}{"b": [{}]}\n {\n\t"c": "}"}\n---\nd: 1\n';
    const documents = parseYamlDocuments(text, "f");
    expect(documents.map(({ value }) => value)).toEqual([{ a: "b/c😀" }, { b: [{}] }, { c: "}" }, { d: 1 }]);
    expect(documents.map(({ start, end }) => text.slice(start, end)).join("")).toBe(text.replace("---\n", ""));
    expect(documents.map(({ line }) => line)).toEqual([1, 1, 1, 5]);
  });
});
