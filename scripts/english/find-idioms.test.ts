import { describe, expect, it } from "vitest";
import { findIdioms } from "./find-idioms.ts";
import { IDIOMS } from "./idioms.ts";

describe("findIdioms()", () => {
  it.each([
    ["// mend what is named above", "mend"],
    ['throw new Error("Whoever asks is told so")', "whoever"],
    ["/** The pod that came. */", "that came"],
    ["const openDoors = 1;", "doors"],
    ["const MAX_ROOM = 1;", "room"],
    ["# What there is under which parameters", "what there is"],
    ["// a manifest that is none is as good as missing", "that is none"],
  ])("finds an idiom in %s", (text, found) => {
    expect(findIdioms(`\n${text}\n`)).toContainEqual(expect.objectContaining({ line: 2, found }));
  });

  it.each([
    "// amended",
    "// mushroom",
    "// outdoors",
    "// a stand-in",
    "// the one that is none of these",
    "// understands",
  ])("finds nothing in %s", (text) => {
    expect(findIdioms(text)).toEqual([]);
  });

  it("says what to write instead of every idiom", () => {
    for (const { instead } of IDIOMS) expect(instead).not.toBe("");
  });
});
