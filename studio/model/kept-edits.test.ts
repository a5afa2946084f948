import { describe, expect, it } from "vitest";
import type { KeptDrafts, KeptEdit } from "../wire.ts";
import { besides, joinedKept, lastOfEach, latestOf } from "./kept-edits.ts";

const edit = (version: string, text: string, path = "mesh"): KeptEdit => ({ path, text, base: null, version });
const kept = (edits: readonly KeptEdit[], gone: readonly string[] = [], at = 1): KeptDrafts => {
  return { edits, gone, text: "", at };
};

describe("joinedKept()", () => {
  it("puts an edit in the place of the one that it was typed over, in whichever order they arrive", () => {
    const [first, second] = [kept([edit("1", "a")]), kept([edit("2", "b")], ["1"])];
    expect(joinedKept(first, second)).toEqual(kept([edit("2", "b")], ["1"]));
    expect(joinedKept(second, first)).toEqual(kept([edit("2", "b")], ["1"]));
  });

  it("keeps both of two that were typed beside each other", () => {
    expect(joinedKept(kept([edit("1", "a")]), kept([edit("2", "b")])).edits).toEqual([edit("1", "a"), edit("2", "b")]);
  });

  it("keeps the same one of two that say the same wherever they are joined, and remembers that the other is none", () => {
    const [one, two] = [kept([edit("1", "a")]), kept([edit("2", "a")])];
    expect(joinedKept(one, two)).toEqual(kept([edit("2", "a")], ["1"]));
    expect(joinedKept(two, one)).toEqual(kept([edit("2", "a")], ["1"]));
  });

  it("brings back nothing that is gone, and changes nothing when it is told twice", () => {
    const now = joinedKept(kept([edit("1", "a"), edit("2", "b", "config")]), kept([], ["1"]));
    expect(now.edits).toEqual([edit("2", "b", "config")]);
    expect(joinedKept(now, kept([edit("1", "a")])).edits).toEqual(now.edits);
    expect(joinedKept(now, now)).toEqual(now);
  });

  it("has the manifest of the later one", () => {
    const [old, late] = [
      { ...kept([]), text: "old" },
      { ...kept([], [], 2), text: "late" },
    ];
    expect(joinedKept(old, late)).toEqual(late);
    expect(joinedKept(late, old)).toEqual(late);
  });

  it("remembers the last thousand that are gone", () => {
    const gone = Array.from({ length: 1200 }, (_, at) => String(at));
    expect(joinedKept(null, kept([], gone)).gone).toEqual(gone.slice(200));
  });
});

describe("latestOf()", () => {
  it("is what was typed over an edit, and nothing for one that was discarded", () => {
    const now = kept([edit("2", "b"), edit("3", "c")], ["1"]);
    expect(latestOf(edit("1", "a"), now)).toEqual(edit("3", "c"));
    expect(latestOf(edit("1", "a"), kept([], ["1"]))).toBeUndefined();
  });

  it("is the edit itself where nobody has heard of it: it was kept nowhere else", () => {
    expect(latestOf(edit("1", "a"), kept([edit("2", "b")]))).toEqual(edit("1", "a"));
  });
});

it("besides() are other texts of the same entries, and lastOfEach() one edit of each", () => {
  const all = [edit("1", "a"), edit("2", "b"), edit("3", "c", "config"), edit("4", "a")];
  expect(besides([edit("1", "a")], all)).toEqual([edit("2", "b")]);
  expect(lastOfEach(all)).toEqual([edit("4", "a"), edit("3", "c", "config")]);
});
