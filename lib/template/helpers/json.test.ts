import { expect, it } from "vitest";
import { jsonHelpers } from "./json.ts";

const call = (name: keyof typeof jsonHelpers, ...args: readonly unknown[]) => jsonHelpers[name].run(args, {});

it.each<[unknown, string]>([
  [{ b: 1, a: [{ d: null, c: 2 }] }, '{"a":[{"c":2,"d":null}],"b":1}'],
  ['a\n"', '"a\\n\\""'],
  [0, "0"],
  [false, "false"],
  ["", '""'],
  [[], "[]"],
])("%j is the JSON text %s", (value, text) => {
  for (const name of ["toJson", "toJSON", "structToJSON"] as const) expect(call(name, value)).toBe(text);
});

it.each([null, undefined])("%j is null in one, and an empty map in the others", (missing) => {
  expect([call("toJson", missing), call("toJSON", missing), call("structToJSON", missing)]).toEqual([
    "null",
    "{}",
    "{}",
  ]);
});

it("toJsonMap merges at the first level, the later ones over the others", () => {
  expect(call("toJsonMap", { b: { x: 1 } }, null, { a: 1, b: { y: 2 } })).toBe('{"a":1,"b":{"y":2}}');
  expect(call("toJsonMap")).toBe("{}");
  expect(() => call("toJsonMap", {}, "a")).toThrow("a map is expected");
});

it.each<[unknown, unknown]>([
  ['{"a": [1, null]}', { a: [1, null] }],
  ['"a"', "a"],
  ["5", 5],
  [5, 5],
  ["null", null],
  [null, undefined],
  [undefined, undefined],
  ["", undefined],
])("the value of %j is %j", (text, value) => {
  for (const name of ["fromJson", "fromJSON"] as const) expect(call(name, text)).toEqual(value);
});

it.each(["{", "a", " ", "{'a': 1}"])("%j is not JSON", (text) => {
  for (const name of ["fromJson", "fromJSON"] as const) expect(() => call(name, text)).toThrow("the text is not JSON");
});
