import { describe, expect, it } from "vitest";
import { figuresOf, growthOf } from "./growth.ts";

describe("figuresOf()", () => {
  it("counts a package's lines, files and the names of its face, and words by reader", () => {
    const files = new Map([
      ["lib/pod/index.ts", '/** A. */\nexport { a, type B } from "./a.ts";\n'],
      ["lib/pod/a.ts", "one\ntwo\n"],
      ["cli/commands/x.ts", "one\n"],
      ["docs/tasks/a.md", "one two three"],
      ["docs/contributing/a.md", "one two"],
      ["docs/a.zh-CN.md", "one"],
      ["lib/pod/data.json", "{}"],
    ]);
    expect(Object.fromEntries(figuresOf(files))).toEqual({
      "lib/pod lines": 4,
      "lib/pod files": 2,
      "lib/pod names of its face": 2,
      "cli lines": 1,
      "cli files": 1,
      "words for users": 3,
      "words for contributors": 2,
    });
  });
});

describe("growthOf()", () => {
  it("begins with what grew by the largest share, and counts what is new from zero", () => {
    const now = new Map([
      ["a", 110],
      ["b", 30],
      ["c", 5],
    ]);
    const before = new Map([
      ["a", 100],
      ["b", 10],
    ]);
    expect(growthOf(now, before).map(({ name, before }) => [name, before])).toEqual([
      ["c", 0],
      ["b", 10],
      ["a", 100],
    ]);
  });

  it("has nothing to compare with where there is no history", () => {
    expect(growthOf(new Map([["a", 1]]), undefined)).toEqual([{ name: "a", now: 1, before: undefined }]);
  });
});
