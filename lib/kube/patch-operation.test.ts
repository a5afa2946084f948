import { describe, expect, it } from "vitest";
import { extendPointer, isPatchOperation, parsePointer, unescapeStep } from "./patch-operation.ts";

describe("isPatchOperation()", () => {
  it.each<[unknown, boolean]>([
    [{ op: "add", path: "/a", value: null }, true],
    [{ op: "replace", path: "", value: {} }, true],
    [{ op: "test", path: "/a", value: 0 }, true],
    [{ op: "remove", path: "/a" }, true],
    [{ op: "move", from: "/a", path: "/b" }, true],
    [{ op: "copy", from: "/a", path: "/b" }, true],
    [{ op: "add", path: "/a" }, false],
    [{ op: "move", path: "/b" }, false],
    [{ op: "copy", from: 1, path: "/b" }, false],
    [{ op: "remove" }, false],
    [{ op: "delete", path: "/a" }, false],
    [{ path: "/a" }, false],
    [["add"], false],
    [null, false],
  ])("says of %j: %s", (value, expected) => {
    expect(isPatchOperation(value)).toBe(expected);
  });
});

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
