import { describe, expect, it } from "vitest";
import { extendPointer, isPatchOperation, type Pointer, readPointer } from "./patch-operation.ts";

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

describe("readPointer()", () => {
  it.each<[string, Pointer | undefined]>([
    ["/", { parent: "", steps: [], last: "" }],
    ["/a", { parent: "", steps: [], last: "a" }],
    ["/a/0/-", { parent: "/a/0", steps: ["a", "0"], last: "-" }],
    ["/a~1b/c~0d/~01", { parent: "/a~1b/c~0d", steps: ["a/b", "c~d"], last: "~1" }],
    ["", undefined],
    ["a", undefined],
    ["a/b", undefined],
    ["/a~2", undefined],
    ["/a/~", undefined],
  ])("reads %j as %j, the first time and the second", (text, pointer) => {
    expect(readPointer(text)).toEqual(pointer);
    expect(readPointer(text)).toEqual(pointer);
  });

  it("does not recurse: a pointer may have any number of steps", () => {
    expect(readPointer("/a".repeat(50_000))?.steps).toHaveLength(49_999);
  });
});

describe("extendPointer()", () => {
  it.each([["a"], ["a/b"], ["a~b"], ["~1/~0"], [""]])("writes %j as it is read", (step) => {
    expect(readPointer(extendPointer("/x", step))).toEqual({ parent: "/x", steps: ["x"], last: step });
  });

  it("writes an index as it is", () => {
    expect(extendPointer("/x", 3)).toBe("/x/3");
    expect(extendPointer("", "a~b/c")).toBe("/a~0b~1c");
  });

  it("writes the same again after more steps than are kept, and after long ones", () => {
    const steps = [...Array.from({ length: 2000 }, (_, at) => `s-${at}`), "x".repeat(5000), 1, "1", 2000];
    for (const _ of [1, 2]) {
      expect(steps.map((step) => extendPointer("", step))).toEqual(steps.map((step) => `/${step}`));
    }
    expect(extendPointer("/x".repeat(5000), "a")).toBe(`${"/x".repeat(5000)}/a`);
  });
});
