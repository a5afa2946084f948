import { describe, expect, it, vi } from "vitest";
import { sharedMemory } from "./bounded-cache.ts";
import { memoize, memoizeJson } from "./memoize.ts";

describe("memoize()", () => {
  it("makes once when a text comes again, undefined included", () => {
    const make = vi.fn((text: string) => (text === "none" ? undefined : text.length));
    const remembered = memoize(make);
    expect(["none", "ab", "none", "ab"].map(remembered)).toEqual([undefined, 2, undefined, 2]);
    expect(make).toHaveBeenCalledTimes(2);
  });

  it("forgets texts whose results take more than their share of the memory", () => {
    const make = vi.fn((text: string) => text.repeat(1000));
    sharedMemory.limit(4_000_000);
    const remembered = memoize(make);
    for (let index = 0; index < 2000; index += 1) remembered(String(index));
    remembered("1999");
    expect(make).toHaveBeenCalledTimes(2000);
    remembered("0");
    sharedMemory.limit(256_000_000);
    expect(make).toHaveBeenCalledTimes(2001);
  });

  it("keeps nothing when a text is long or the making fails", () => {
    const make = vi.fn((text: string) => {
      if (text === "bad") throw new Error("no");
      return text.length;
    });
    const remembered = memoize(make);
    const long = "x".repeat(4097);
    expect([remembered(long), remembered(long)]).toEqual([4097, 4097]);
    expect(() => remembered("bad")).toThrow();
    expect(() => remembered("bad")).toThrow();
    expect(make).toHaveBeenCalledTimes(4);
  });
});

describe("memoizeJson()", () => {
  it("makes once of values that JSON writes alike, and again of others", () => {
    const make = vi.fn((value: { readonly a: readonly number[] }) => value.a.length);
    const remembered = memoizeJson(make);
    expect([{ a: [1] }, { a: [1] }, { a: [1, 2] }].map(remembered)).toEqual([1, 1, 2]);
    expect(make).toHaveBeenCalledTimes(2);
  });
});
