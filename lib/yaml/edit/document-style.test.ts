import { describe, expect, it } from "vitest";
import { parseYamlNodes } from "../parse/parse-nodes.ts";
import { documentStyle } from "./document-style.ts";

describe("documentStyle()", () => {
  it.each([
    ["nothing to look at", "a: 1\n", {}],
    ["a mapping in a mapping", "a:\n    b: 1\n", { indent: 4 }],
    ["two indentations, of which the first counts", "a:\n   b: 1\nc:\n  d: 1\n", { indent: 3 }],
    ["an indentation that is too wide", `a:\n${" ".repeat(9)}b: 1\nc:\n    d: 1\n`, { indent: 4 }],
    ["the widest that is taken", `a:\n${" ".repeat(8)}b: 1\n`, { indent: 8 }],
    ["a list below its key", "a:\n- 1\n", {}],
    ["an indented list", "a:\n  - 1\n", { indentsLists: true }],
    ["an indented list, then one that is not", "a:\n  - 1\nb:\n- 1\n", { indentsLists: true }],
    ["a list that is not indented, then one that is", "a:\n- 1\nb:\n  - 1\n", {}],
    ["collections in a list", "- a:\n     b:\n      - 1\n", { indent: 3, indentsLists: true }],
    ["flow style", "a: {b: [1]}\n", {}],
    ["other line breaks", "a: 1\r\nb: 2\r\n", { lineBreak: "\r\n" }],
    ["JSON", '{\n    "a": 1\n}\n', { isJson: true, jsonIndent: "    " }],
    ["compact JSON", '{"a":1}', { isJson: true, isCompact: true }],
    ["JSON on one line", '{"a": 1}', { isJson: true }],
    ["an empty mapping", "{}\n", {}],
    ["a scalar", "a\n", {}],
  ])("reads %s", (_what, text, shown) => {
    const root = parseYamlNodes(text)?.root;
    if (root === undefined) throw new Error("no document");
    const usual = {
      indent: 2,
      indentsLists: false,
      lineBreak: "\n",
      isJson: false,
      jsonIndent: "  ",
      isCompact: false,
    };
    expect(documentStyle(text, root)).toEqual({ ...usual, ...shown });
  });
});
