import { expect, it } from "vitest";
import { textChanges } from "./text-changes.ts";

it("textChanges() has both texts of each entry that differs, and null for one that a tree has not", () => {
  expect(textChanges({ a: "1", b: "1", c: "1" }, { b: "1", c: "2", d: "1" })).toEqual([
    { path: "a", before: "1", after: null },
    { path: "c", before: "1", after: "2" },
    { path: "d", before: null, after: "1" },
  ]);
  expect(textChanges({}, {})).toEqual([]);
});

it("textChanges() is null where one of the trees is not known", () => {
  expect(textChanges(undefined, {})).toBeNull();
  expect(textChanges({}, undefined)).toBeNull();
});
