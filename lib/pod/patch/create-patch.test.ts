import type { JsonObject } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { applyPatch } from "./apply-patch.ts";
import { createPatch } from "./create-patch.ts";

function pod(...names: readonly string[]): JsonObject {
  return { spec: { containers: names.map((name) => ({ name, image: "i" })) } };
}

function spec(value: JsonObject): JsonObject {
  return { spec: value };
}

describe("createPatch()", () => {
  it.each<[string, JsonObject, JsonObject, unknown]>([
    ["is empty when nothing changed", pod("a"), pod("a"), []],
    [
      "escapes pointers",
      { metadata: {} },
      { metadata: { "a/b~c": "x" } },
      [{ op: "add", path: "/metadata/a~1b~0c", value: "x" }],
    ],
    [
      "prepends with one add",
      pod("a", "b"),
      pod("new", "a", "b"),
      [{ op: "add", path: "/spec/containers/0", value: { name: "new", image: "i" } }],
    ],
    [
      "inserts with one add",
      pod("a", "b"),
      pod("a", "new", "b"),
      [{ op: "add", path: "/spec/containers/1", value: { name: "new", image: "i" } }],
    ],
    [
      "appends with one add",
      pod("a"),
      pod("a", "new"),
      [{ op: "add", path: "/spec/containers/1", value: { name: "new", image: "i" } }],
    ],
    ["removes with one remove", pod("a", "b", "c"), pod("a", "c"), [{ op: "remove", path: "/spec/containers/1" }]],
    [
      "moves to the front",
      pod("a", "b", "c"),
      pod("c", "a", "b"),
      [{ op: "move", from: "/spec/containers/2", path: "/spec/containers/0" }],
    ],
    [
      "moves to the end",
      pod("a", "b", "c"),
      pod("b", "c", "a"),
      [{ op: "move", from: "/spec/containers/0", path: "/spec/containers/2" }],
    ],
    [
      "replaces an atomic list",
      spec({ tolerations: [{ key: "a" }] }),
      spec({ tolerations: [{ key: "b" }] }),
      [{ op: "replace", path: "/spec/tolerations", value: [{ key: "b" }] }],
    ],
    [
      "replaces when the kind changes",
      spec({ os: {} }),
      spec({ os: [] }),
      [{ op: "replace", path: "/spec/os", value: [] }],
    ],
    [
      "takes undefined for absent",
      { a: undefined, b: 1 },
      { a: 1, b: undefined },
      [
        { op: "remove", path: "/b" },
        { op: "add", path: "/a", value: 1 },
      ],
    ],
    [
      "keeps all items of one key where another moves before them",
      pod("a", "a", "b", "c"),
      pod("b", "a", "a", "d"),
      [
        { op: "remove", path: "/spec/containers/3" },
        { op: "move", from: "/spec/containers/2", path: "/spec/containers/0" },
        { op: "add", path: "/spec/containers/3", value: { name: "d", image: "i" } },
      ],
    ],
    ["reads own entries only", {}, { constructor: 1 }, [{ op: "add", path: "/constructor", value: 1 }]],
  ])("%s", (_, before, after, patch) => {
    expect(createPatch(before, after)).toEqual(patch);
  });

  it("changes one field of an item when others were put before it", () => {
    const before = pod("a", "b");
    const after = spec({ containers: [{ name: "new" }, { name: "a", image: "i" }, { name: "b", image: "other" }] });
    expect(createPatch(before, after)).toEqual([
      { op: "add", path: "/spec/containers/0", value: { name: "new" } },
      { op: "replace", path: "/spec/containers/2/image", value: "other" },
    ]);
  });

  it.each([
    [
      ["a", "a", "b"],
      ["a", "b", "a"],
    ],
    [
      ["a", "b", "a", "b"],
      ["b", "b", "a"],
    ],
    [
      ["a", "b", "c", "d", "e"],
      ["e", "x", "c", "a", "y", "b"],
    ],
    [["a"], []],
    [[], ["a"]],
  ])("leads from %j to %j when keys repeat or move", (from, to) => {
    const before = pod(...from);
    const after = pod(...to);
    expect(applyPatch(before, createPatch(before, after))).toEqual(after);
  });

  it("does not look into what is shared", () => {
    const secret = new Proxy({}, { ownKeys: () => expect.unreachable("the diff looked into a shared node") });
    const shared = { name: "a", resources: secret };
    const before = { metadata: secret, spec: { containers: [shared] } } as JsonObject;
    const after = { metadata: secret, spec: { containers: [{ name: "new" }, shared] } } as JsonObject;
    expect(createPatch(before, after)).toHaveLength(1);
  });

  it("replaces a list for which it would need hundreds of operations", () => {
    const named = (names: readonly number[]) => spec({ containers: names.map((at) => ({ name: `c${at}` })) });
    const numbers = Array.from({ length: 700 }, (_, at) => at);
    const all = named(numbers);
    const others = [numbers.toReversed(), numbers.filter((at) => at % 2 === 0), numbers.slice(300)].map(named);
    for (const after of others) {
      const patch = createPatch(all, after);
      expect(patch.map(({ op, path }) => [op, path])).toEqual([["replace", "/spec/containers"]]);
      expect(applyPatch(all, patch)).toEqual(after);
    }
    expect(createPatch(all, named(numbers.slice(200)))).toHaveLength(200);
  });

  it("is one operation when a container is put before ten thousand", () => {
    const containers = Array.from({ length: 10_000 }, (_, at) => ({ name: `c${at}` }));
    expect(createPatch(spec({ containers }), spec({ containers: [{ name: "new" }, ...containers] }))).toHaveLength(1);
  });
});
