import type { JsonValue } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { readSchema } from "../schema/schema.ts";
import { adoptOverlay, stripOverlay, withRequired, zeroValue } from "./overlay-subtree.ts";

const type = readSchema(
  {
    Top: "one=Item list=[Item@name map={Sub free=o labels={s numbers={i text=s count=i quantities={q",
    Item: "name=s! value=s sub=Sub nested=[Sub",
    Sub: "name=s! size=q! port=x! isOn=b! big=l! at=t! of=Empty! rest=[s!",
    Empty: "a=s",
  },
  "Top",
);
const item = type.fields.get("one")?.type;
const sub = type.fields.get("map")?.type.element;

const SUB = { name: "", size: "0", port: 0, isOn: false, big: 0, of: {} };

function adopted(value: JsonValue, at = type as typeof type | undefined): JsonValue | undefined {
  return adoptOverlay(value, at, undefined);
}

function stripped(value: JsonValue, at = type as typeof type | undefined): JsonValue | undefined {
  return stripOverlay(value, at, undefined);
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}

describe("zeroValue()", () => {
  it.each<[string, JsonValue | undefined]>([
    ["s", ""],
    ["i", 0],
    ["l", 0],
    ["x", 0],
    ["b", false],
    ["q", "0"],
    ["t", undefined],
    ["o", undefined],
    ["[s", undefined],
    ["{s", undefined],
    ["Empty", {}],
  ])("of %s is %j", (kind, zero) => {
    const schema = readSchema({ Top: `field=${kind}`, Empty: "a=s" }, "Top");
    expect(zeroValue(schema.fields.get("field")?.type)).toEqual(zero);
  });

  it("of an unknown type is nothing", () => {
    expect(zeroValue(undefined)).toBeUndefined();
  });

  it("of an object has its required fields, as deep as they are", () => {
    expect(withRequired({}, sub as typeof type)).toEqual(SUB);
    expect(zeroValue(sub)).toEqual(SUB);
  });
});

describe.each([
  ["adoptOverlay()", adopted],
  ["stripOverlay()", stripped],
])("%s", (_name, clean) => {
  it.each<[JsonValue]>([["a"], [0], [false], [""]])("returns the scalar %j itself", (value) => {
    expect(clean(value)).toBe(value);
  });

  it("is nothing for null, and for empty lists and maps, but an empty object stays", () => {
    expect(clean(null)).toBeUndefined();
    expect(clean({ list: [], labels: {}, free: {} })).toEqual({ free: {} });
    expect(clean({ free: {}, map: {} })).toEqual({ free: {} });
  });

  it("returns the very same node where nothing has to be left out", () => {
    const value = { one: { name: "a", value: "b" }, labels: { a: "b" }, list: [{ name: "c" }], free: { x: [1] } };
    expect(clean(value)).toBe(value);
    const list = [{ name: "a" }];
    expect(clean(list, type.fields.get("list")?.type)).toBe(list);
    const free = { a: [{ b: 1 }] };
    expect(clean(free, undefined)).toBe(free);
  });

  it("returns a new node, in the same order, where something is left out, and changes nothing", () => {
    const value = deepFreeze({ text: "a", one: { value: "v", name: "n", $retainKeys: ["x"] }, list: [], count: 1 });
    const result = clean(value) as Record<string, JsonValue>;
    expect(result).toEqual({ text: "a", one: { value: "v", name: "n" }, count: 1 });
    expect(Object.keys(result)).toEqual(["text", "one", "count"]);
    expect(Object.keys(result["one"] as object)).toEqual(["value", "name"]);
    expect(value.one).toHaveProperty("$retainKeys");
  });

  it("gives required fields their zero value, after those that are there", () => {
    expect(clean({ value: "b" }, item)).toEqual({ value: "b", name: "" });
    expect(clean({ name: "n", of: { a: "b" }, isOn: true }, sub)).toEqual({
      ...SUB,
      name: "n",
      of: { a: "b" },
      isOn: true,
    });
    expect(clean({ name: "", size: "0", port: 0, isOn: false, big: 0, of: {}, at: "t", rest: ["r"] }, sub)).toEqual({
      ...SUB,
      at: "t",
      rest: ["r"],
    });
    expect(clean({ name: null, value: "b" }, item)).toEqual({ value: "b", name: "" });
  });

  it("goes down through objects, lists and maps by their types", () => {
    expect(clean({ one: { name: "a", sub: { size: "1" } } })).toEqual({
      one: { name: "a", sub: { ...SUB, size: "1" } },
    });
    expect(clean({ list: [{ value: "b" }] })).toEqual({ list: [{ value: "b", name: "" }] });
    expect(clean({ list: [{ name: "a", nested: [{ port: "p" }] }] })).toEqual({
      list: [{ name: "a", nested: [{ ...SUB, port: "p" }] }],
    });
    expect(clean({ map: { x: { big: 2 } } })).toEqual({ map: { x: { ...SUB, big: 2 } } });
  });

  it("takes the directives out of a list's items, and empty lists out of lists", () => {
    const $setElementOrder = [{ name: "a" }];
    expect(clean({ list: [{ name: "a" }, { name: "b", "$setElementOrder/nested": $setElementOrder }] })).toEqual({
      list: [{ name: "a" }, { name: "b" }],
    });
    expect(clean([["a"], [], ["b"]], undefined)).toEqual([["a"], ["b"]]);
    expect(clean([[], [[]]], undefined)).toBeUndefined();
  });

  it("refuses a list that holds null", () => {
    expect(() => clean({ free: { a: [1, null] } })).toThrow(expect.objectContaining({ code: "overlay-invalid" }));
  });

  it("takes hostile keys for what they are", () => {
    const value = JSON.parse('{"text":"a","count":null,"__proto__":{"x":1}}') as JsonValue;
    const result = clean(value) as object;
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect(Object.keys(result)).toEqual(["text", "__proto__"]);
    const before = JSON.parse('{"__proto__":{"x":1},"count":null}') as JsonValue;
    expect(Object.keys(clean(before) as object)).toEqual(["__proto__"]);
  });

  it("gives a frozen node the same result every time, by its type", () => {
    const frozen = deepFreeze({ value: "b", nested: [] });
    const first = clean(frozen, item);
    expect(first).toEqual({ value: "b", name: "" });
    expect(clean(frozen, item)).toBe(first);
    expect(clean(frozen, undefined)).toEqual({ value: "b" });
    expect(clean(frozen, item)).toEqual(first);
  });
});

describe("what adoptOverlay() and stripOverlay() do differently", () => {
  it("an object that carries $patch is left out, or only the directive is", () => {
    const value = { list: [{ name: "a", $patch: "delete" }, { name: "b" }], one: { name: "c", $patch: "replace" } };
    expect(adopted(value)).toEqual({ list: [{ name: "b" }] });
    expect(stripped(value)).toEqual({ list: [{ name: "a" }, { name: "b" }], one: { name: "c" } });
  });

  it("null is left out, or is the zero value where it is a map's", () => {
    const value = { labels: { a: null, b: "x" }, numbers: { a: null }, quantities: { a: null }, text: null };
    expect(adopted(value)).toEqual({ labels: { b: "x" } });
    expect(stripped(value)).toEqual({ labels: { a: "", b: "x" }, numbers: { a: 0 }, quantities: { a: "0" } });
    expect(stripped({ a: null, b: 1 }, undefined)).toEqual({ b: 1 });
  });

  it("what happens to a frozen node is remembered for each", () => {
    const frozen = deepFreeze({ name: "a", $patch: "delete" });
    expect([adopted(frozen, item), stripped(frozen, item)]).toEqual([undefined, { name: "a" }]);
    expect([adopted(frozen, item), stripped(frozen, item)]).toEqual([undefined, { name: "a" }]);
    const other = deepFreeze({ name: "a", $patch: "delete" });
    expect([stripped(other, item), adopted(other, item)]).toEqual([{ name: "a" }, undefined]);
  });
});
