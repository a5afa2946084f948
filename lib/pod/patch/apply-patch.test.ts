import type { JsonObject } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { applyPatch } from "./apply-patch.ts";
import type { PatchOperation } from "./patch-operation.ts";

const document = { a: { b: [1, 2, 3], c: { d: "e" } }, "x/y": { "m~n": 1 }, f: { g: 1 } };

describe("applyPatch()", () => {
  it("removes tens of thousands of entries, and changes neither the document nor a copy of what it removes from", () => {
    const labels = Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`l${at}`, "x"]));
    const many = Object.freeze({ metadata: Object.freeze({ labels: Object.freeze({ ...labels, kept: "x" }) }) });
    const removals = Object.keys(labels).map((key) => ({ op: "remove", path: `/metadata/labels/${key}` }) as const);
    const copied = { op: "copy", from: "/metadata/labels", path: "/copy" } as const;
    const [first, rest] = [removals.slice(0, 40), removals.slice(40)];
    const patched = applyPatch<JsonObject>(many, [...first, copied, ...rest]);
    expect(patched).toMatchObject({ metadata: { labels: { kept: "x" } } });
    expect(Object.keys((patched["metadata"] as JsonObject)["labels"] as JsonObject)).toEqual(["kept"]);
    expect(Object.keys(patched["copy"] as JsonObject)).toHaveLength(29_961);
  });

  it.each<[string, PatchOperation, unknown]>([
    ["adds an entry", { op: "add", path: "/a/z", value: 1 }, { ...document, a: { ...document.a, z: 1 } }],
    [
      "inserts an item",
      { op: "add", path: "/a/b/1", value: 9 },
      { ...document, a: { ...document.a, b: [1, 9, 2, 3] } },
    ],
    ["appends at -", { op: "add", path: "/a/b/-", value: 9 }, { ...document, a: { ...document.a, b: [1, 2, 3, 9] } }],
    [
      "replaces an item",
      { op: "replace", path: "/a/b/0", value: 9 },
      { ...document, a: { ...document.a, b: [9, 2, 3] } },
    ],
    ["unescapes", { op: "replace", path: "/x~1y/m~0n", value: 2 }, { ...document, "x/y": { "m~n": 2 } }],
    ["removes an entry", { op: "remove", path: "/f" }, { a: document.a, "x/y": document["x/y"] }],
    ["removes an item", { op: "remove", path: "/a/b/2" }, { ...document, a: { ...document.a, b: [1, 2] } }],
    ["moves", { op: "move", from: "/a/b/0", path: "/a/b/2" }, { ...document, a: { ...document.a, b: [2, 3, 1] } }],
    [
      "copies",
      { op: "copy", from: "/f", path: "/a/c/f" },
      { ...document, a: { ...document.a, c: { d: "e", f: { g: 1 } } } },
    ],
    ["replaces the whole", { op: "replace", path: "", value: [] }, []],
    ["continues when a test holds", { op: "test", path: "/f", value: { g: 1 } }, document],
  ])("%s on request", (_, operation, expected) => {
    expect(applyPatch(document, [operation])).toEqual(expected);
  });

  it("keeps two holders of a copied node apart when one is changed", () => {
    const result = applyPatch(document, [
      { op: "add", path: "/f/h", value: 2 },
      { op: "copy", from: "/f", path: "/g" },
      { op: "replace", path: "/g/h", value: 3 },
    ]);
    expect(result).toMatchObject({ f: { h: 2 }, g: { h: 3 } });
  });

  it("shares what no operation touches and leaves the document as it was", () => {
    const before = structuredClone(document);
    const result = applyPatch(document, [
      { op: "add", path: "/a/c/x", value: 1 },
      { op: "remove", path: "/a/c/d" },
      { op: "add", path: "/a/c/y", value: 2 },
    ]);
    expect(result.a.c).toEqual({ x: 1, y: 2 });
    expect(result.f).toBe(document.f);
    expect(result.a.b).toBe(document.a.b);
    expect(document).toEqual(before);
  });

  it("writes to the right node when an entry of the root was removed before", () => {
    const result = applyPatch(document, [
      { op: "remove", path: "/f" },
      { op: "add", path: "/z", value: 1 },
      { op: "remove", path: "/a" },
    ]);
    expect(result).toEqual({ "x/y": { "m~n": 1 }, z: 1 });
  });

  it.each<[string, PatchOperation]>([
    ["an index is past the end", { op: "add", path: "/a/b/4", value: 1 }],
    ["an index has a leading zero", { op: "replace", path: "/a/b/00", value: 1 }],
    ["an index is -", { op: "remove", path: "/a/b/-" }],
    ["there is nothing to remove", { op: "remove", path: "/nothing" }],
    ["there is nothing to replace", { op: "replace", path: "/nothing", value: 1 }],
    ["the way leads nowhere", { op: "add", path: "/nothing/x", value: 1 }],
    ["the way leads through a scalar", { op: "add", path: "/f/g/h", value: 1 }],
    ["the pointer has no slash", { op: "add", path: "a", value: 1 }],
    ["the pointer has a bad escape", { op: "add", path: "/a~2", value: 1 }],
    ["the pointer is no text", { op: "add", path: 1 as never, value: 1 }],
    ["a test fails", { op: "test", path: "/f/g", value: 2 }],
    ["a node moves into itself", { op: "move", from: "/a", path: "/a/c/x" }],
    ["the document is removed", { op: "remove", path: "" }],
    ["the operation is unknown", { op: "merge" as never, path: "/a", value: 1 }],
    ["the prototype is asked for", { op: "add", path: "/__proto__/polluted", value: 1 }],
    ["a method is asked for", { op: "add", path: "/constructor/prototype/polluted", value: 1 }],
  ])("throws when %s", (_, operation) => {
    expect(() => applyPatch(document, [operation])).toThrow(
      expect.objectContaining({ code: "patch-check-failed", path: String(operation.path) }),
    );
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("defines an own entry when the last step is __proto__", () => {
    const result = applyPatch({}, [{ op: "add", path: "/__proto__", value: { polluted: true } }]);
    expect(Object.keys(result)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
  });
});
