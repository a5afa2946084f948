import { describe, expect, it } from "vitest";
import { withoutDocs } from "./leave-out-docs.ts";

describe("withoutDocs()", () => {
  it.each([
    ['const a = { b: 1, doc: { text: "one" } };', "const a = { b: 1 };"],
    ['const a = { doc: "one", b: 1 };', "const a = { b: 1 };"],
    ['const a = { doc: "one" };', "const a = { };"],
    ['const a = { b: { doc: "one", }, };', "const a = { b: { }, };"],
    ['const a = { b: 1, doc: "é, {", c: 2 };', "const a = { b: 1, c: 2 };"],
    [
      "const a = { b: { run: (x: string): string => x, doc: { doc: 1 } } };",
      "const a = { b: { run: (x: string): string => x } };",
    ],
  ])("leaves it out of %s", (text, expected) => {
    expect(withoutDocs(text)).toBe(expected);
  });

  it.each([
    ['const a = { doc: { text: "one", args: [1], result: "b" } };', "const a = { doc: { args: [1] } };"],
    [
      'const a = { doc: { text: "one", result: "b", args: [] }, text: "c" };',
      'const a = { doc: { args: [] }, text: "c" };',
    ],
  ])("leaves parts of it out of %s", (text, expected) => {
    expect(withoutDocs(text, "module.ts", ["text", "result"])).toBe(expected);
  });

  it.each([
    "interface A { readonly doc: string }",
    "const { doc: text } = all;",
    "const a = { doc, b: 1 };",
    'const a = { ["doc"]: 1 };',
    "const docs: number = 1;",
  ])("leaves %s as it is", (text) => {
    expect(withoutDocs(text)).toBe(text);
  });
});
