import type { ChannelRecord } from "@outrigger/publisher";
import { describe, expect, it } from "vitest";
import { effectsOf, requirePublishable, withEdits } from "./asked-publication.ts";

describe("withEdits()", () => {
  const there = { config: "a: 1\n", mesh: "b: 1\n" };
  const edit = (path: string, base: string | null, text: string | null) => ({ path, base, text });

  it("is the tree with what is written, and without what is removed", () => {
    expect(withEdits(there, [])).toEqual(there);
    expect(
      withEdits(there, [
        edit("config", "a: 1\n", "a: 2\n"),
        edit("mesh", "b: 1\n", null),
        edit("values/a", null, "c: 1\n"),
      ]),
    ).toEqual({ config: "a: 2\n", "values/a": "c: 1\n" });
  });

  it("refuses all edits where another user was first with one", () => {
    expect(() => withEdits(there, [edit("mesh", "b: 0\n", "b: 2\n"), edit("values/a", "c: 0\n", "c: 1\n")])).toThrow(
      expect.objectContaining({
        code: "tree-changed",
        path: "mesh",
        message: "Cannot save mesh, values/a: changed by another user since you opened it; merge the two texts first",
      }),
    );
  });
});

describe("requirePublishable()", () => {
  const shipped = { config: "defaultTemplates: [a]\n", "templates/a": "spec: {}\n" };

  it("takes a tree that only has warnings", () => {
    expect(() => requirePublishable([shipped])).not.toThrow();
    expect(() => requirePublishable([shipped, { "values/10-a": "unused: 1\n" }])).not.toThrow();
  });

  it("refuses one with an error, and names the place", () => {
    expect(() => requirePublishable([shipped, { "templates/b": "spec:\n  {{#if}}\n" }])).toThrow(
      expect.objectContaining({
        code: "tree-invalid",
        path: "templates/b",
        message: expect.stringMatching(/^Cannot publish: templates\/b:3: /),
      }),
    );
    expect(() => requirePublishable([shipped, { "odd/path": "" }])).toThrow(/^Cannot publish: odd\/path: /);
  });
});

describe("effectsOf()", () => {
  const effect = (name: string, example = name) => ({ name, example });
  const of = (effects: readonly object[], heldEffects: readonly object[] | undefined, waiting?: readonly object[]) =>
    effectsOf(
      { effects, ...(heldEffects && { heldEffects }) } as never,
      waiting && ({ proposal: { held: waiting } } as unknown as ChannelRecord),
    ).map(({ name, example, isHeld }) => [name, example, isHeld]);

  it("has first what waits for a person, each once", () => {
    expect(of([effect("image"), effect("ports")], undefined)).toEqual([
      ["image", "image", false],
      ["ports", "ports", false],
    ]);
    expect(of([effect("image"), effect("ports")], [effect("ports", "more")])).toEqual([
      ["ports", "more", true],
      ["image", "image", false],
    ]);
  });

  it("takes the publisher's own finding where it waits already", () => {
    expect(of([effect("ports")], [effect("ports", "mine"), effect("powers")], [effect("ports", "its")])).toEqual([
      ["ports", "its", true],
      ["powers", "powers", true],
    ]);
    expect(of([], [], [])).toEqual([]);
  });
});
