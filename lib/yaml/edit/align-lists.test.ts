import type { JsonValue } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { alignLists } from "./align-lists.ts";

const positions = (before: readonly string[], after: readonly string[]) =>
  alignLists(before, after).map((item) => item.before);

describe("alignLists()", () => {
  it.each<[string, string, readonly (number | undefined)[]]>([
    ["x a y b z", "a w b v", [1, undefined, 3, undefined]],
    ["a b c", "a c", [0, 2]],
    ["a c", "a b c", [0, undefined, 1]],
    ["a b", "b a", [1, undefined]],
    ["a b", "c d", [undefined, undefined]],
    ["", "a", [undefined]],
    ["a a", "a a a", [0, 1, undefined]],
    ["a a a", "a a", [0, 1]],
    ["a b", "a b", [0, 1]],
    ["a b", "a", [0]],
    ["a b", "b", [1]],
    ["a b", "", []],
    ["", "", []],
  ])("keeps the longest common sequence of %j and %j", (before, after, expected) => {
    const items = (text: string) => text.split(" ").filter((word) => word !== "");
    expect(positions(items(before), items(after))).toEqual(expected);
  });

  const named = (kind: string, metadata: object) => ({ kind, metadata });
  it.each([
    ["a name", { name: "a", x: 1 }, { name: "a", x: 2 }, true],
    ["another name", { name: "a" }, { name: "b" }, false],
    ["a name and none", { name: "a" }, { x: 1 }, false],
    ["no name, and another value", { x: 1 }, { x: 2 }, false],
    ["no name, and one value", { x: 1 }, { x: 1 }, true],
    ["a port", { containerPort: 1 }, { containerPort: 1, name: undefined }, true],
    ["a mount of one name at two paths", { name: "v", mountPath: "/a" }, { name: "v", mountPath: "/b" }, false],
    ["a mount of two names at one path", { name: "v", mountPath: "/a" }, { name: "w", mountPath: "/a" }, true],
    ["an object of a List", named("A", { name: "a" }), named("A", { name: "a", labels: {} }), true],
    ["an object of another kind", named("A", { name: "a" }), named("B", { name: "a" }), false],
    ["one of another namespace", named("A", { name: "a" }), named("A", { name: "a", namespace: "n" }), false],
    ["one whose name is generated", named("A", { generateName: "a-" }), named("A", { generateName: "a-", x: 1 }), true],
    ["one of another generated name", named("A", { generateName: "a-" }), named("A", { generateName: "b-" }), false],
  ])("knows an item by %s", (_what, before, after, isSame) => {
    const [item] = alignLists([before as JsonValue], [after as JsonValue]);
    expect(item).toEqual({ before: isSame ? 0 : undefined, after });
  });
});
