import { describe, expect, it } from "vitest";
import { extendPointer, parsePointer, unescapeStep } from "./patch-operation.ts";

describe("parsePointer()", () => {
  it.each<[string, readonly string[] | undefined]>([
    ["", []],
    ["/", [""]],
    ["/a/0/-", ["a", "0", "-"]],
    ["/a~1b/c~0d/~01", ["a/b", "c~d", "~1"]],
    ["a", undefined],
    ["a/b", undefined],
    ["/a~2", undefined],
    ["/a/~", undefined],
  ])("reads %j as %j", (pointer, steps) => {
    expect(parsePointer(pointer)).toEqual(steps);
  });
});

describe("extendPointer() and unescapeStep()", () => {
  it.each([["a"], ["a/b"], ["a~b"], ["~1/~0"], [""]])("are inverses for %j", (step) => {
    expect(parsePointer(extendPointer("/x", step))).toEqual(["x", step]);
    expect(unescapeStep(extendPointer("", step).slice(1))).toBe(step);
  });

  it("write an index as it is", () => {
    expect(extendPointer("/x", 3)).toBe("/x/3");
    expect(extendPointer("", "a~b/c")).toBe("/a~0b~1c");
  });
});
