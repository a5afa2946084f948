import type { JsonValue } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { mergeValues } from "./merge-values.ts";

describe("mergeValues()", () => {
  it("merges mappings and replaces lists and scalars when layers say different things", () => {
    const below = { global: { tag: "1", hub: "h", args: [1, 2] }, a: 1 };
    const above = { global: { tag: "2", args: [3] }, b: { c: 1 } };
    expect(mergeValues([below, above])).toEqual({ global: { tag: "2", hub: "h", args: [3] }, a: 1, b: { c: 1 } });
  });

  it("removes what lies below when a layer says null", () => {
    expect(
      mergeValues([
        { a: { b: 1, c: 2 }, d: 1 },
        { a: { b: null }, d: null },
      ]),
    ).toEqual({ a: { c: 2 } });
  });

  it("holds no null when there was nothing below to remove", () => {
    expect(mergeValues([{ a: { b: null, c: [null] } }])).toEqual({ a: { c: [null] } });
  });

  it("lets the later layer win when a mapping meets something else", () => {
    expect(mergeValues([{ a: { b: 1 } }, { a: "x" }])).toEqual({ a: "x" });
    expect(mergeValues([{ a: "x" }, { a: { b: 1 } }])).toEqual({ a: { b: 1 } });
  });

  it("keeps what lies below when a mapping is empty", () => {
    expect(mergeValues([{ a: { b: 1 } }, { a: {} }, null, {}])).toEqual({ a: { b: 1 } });
  });

  it("makes an own entry when a key is __proto__", () => {
    const merged = mergeValues([JSON.parse('{"__proto__":{"a":1}}'), JSON.parse('{"__proto__":{"b":2}}')]);
    expect(JSON.stringify(merged)).toBe('{"__proto__":{"a":1,"b":2}}');
    expect(({} as Record<string, unknown>)["a"]).toBeUndefined();
  });

  it.each<[JsonValue]>([[[]], ["text"], [1]])("refuses %j when a layer is no mapping", (layer) => {
    expect(() => mergeValues([{}, layer])).toThrow(expect.objectContaining({ code: "values-invalid", path: "1" }));
  });
});
