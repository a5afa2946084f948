import { describe, expect, it } from "vitest";
import { lookup } from "./lookup.ts";

const SHORT = Array.from({ length: 16 }, (_, at) => `n${at}`);
const LONG = Array.from({ length: 40 }, (_, at) => `n${at}`);

describe.each([
  ["short", SHORT],
  ["long", LONG],
])("in a %s list", (_, list) => {
  it("lookup() knows each item and no other", () => {
    const known = lookup(list);
    expect(list.every((item) => known.has(item))).toBe(true);
    expect([known.has("n"), known.has("toString")]).toEqual([false, false]);
  });

  it("lookup() finds the first item of a key", () => {
    const items = [...list, "n1"].map((name, at) => ({ name, at }));
    const known = lookup(items, ({ name }) => name);
    expect(list.map((name) => known.get(name)?.at)).toEqual(list.map((_, at) => at));
    expect([known.get("x"), known.has("x"), known.has("n1")]).toEqual([undefined, false, true]);
    expect(lookup(list).get("n1")).toBe("n1");
  });
});
