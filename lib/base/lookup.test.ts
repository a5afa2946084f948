import { describe, expect, it } from "vitest";
import { lookup, lookupBy, seenBefore } from "./lookup.ts";

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

  it("lookupBy() finds the first item of a key", () => {
    const items = [...list, "n1"].map((name, at) => ({ name, at }));
    const find = lookupBy(items, ({ name }) => name);
    expect(list.map((name) => find(name)?.at)).toEqual(list.map((_, at) => at));
    expect(find("x")).toBeUndefined();
  });

  it("seenBefore() is true from the second time on", () => {
    const isRepeated = seenBefore(list.length);
    expect(list.map((item) => isRepeated(item))).toEqual(list.map(() => false));
    expect(list.map((item) => isRepeated(item))).toEqual(list.map(() => true));
  });
});
