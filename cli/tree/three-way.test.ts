import { describe, expect, it } from "vitest";
import { textDigest, threeWay } from "./three-way.ts";

const one = (text: string | undefined) => (text === undefined ? {} : { mesh: text });
const common = (text: string | undefined) => (text === undefined ? {} : { mesh: textDigest(text) });

describe("threeWay()", () => {
  it.each<[from: string | undefined, to: string | undefined, base: string | undefined, what: string]>([
    ["a", "a", undefined, "same"],
    ["b", "b", "a", "same"],
    [undefined, undefined, "a", "same"],
    ["b", "a", "a", "carried"],
    [undefined, "a", "a", "carried"],
    ["b", undefined, undefined, "carried"],
    ["a", "b", "a", "kept"],
    ["a", undefined, "a", "kept"],
    [undefined, "b", undefined, "kept"],
    ["b", "c", "a", "conflict"],
    ["b", "c", undefined, "conflict"],
    [undefined, "c", "a", "conflict"],
    ["b", undefined, "a", "conflict"],
  ])("from %j to %j with %j in common: %s", (from, to, base, what) => {
    const merge = threeWay(one(from), one(to), common(base));
    expect([merge.carried, merge.kept, merge.conflicts]).toEqual([
      what === "carried" ? ["mesh"] : [],
      what === "kept" ? ["mesh"] : [],
      what === "conflict" ? ["mesh"] : [],
    ]);
    expect(merge.result).toEqual(one(what === "carried" ? from : to));
    expect(merge.base).toEqual(what === "same" || what === "carried" ? common(from) : common(base));
  });

  it("makes the other side the same when it is forced", () => {
    const from = { mesh: "a", config: "b" };
    const merge = threeWay(from, { config: "c", "values/x": "d" }, {}, true);
    expect(merge.carried).toEqual(["config", "mesh", "values/x"]);
    expect(merge.result).toEqual(from);
    expect(merge.base).toEqual({ mesh: textDigest("a"), config: textDigest("b") });
  });

  it("does not take what objects have by nature for an entry", () => {
    const base = JSON.parse('{"__proto__": {"mesh": "x"}}');
    expect(threeWay({ mesh: "a" }, {}, base).carried).toEqual(["mesh"]);
  });
});
