import { describe, expect, it } from "vitest";
import { editsOf, sourcesOf } from "./origin-of.ts";

const madeOf = (...sources: readonly string[]) => ({ by: "", why: "", at: "", tree: "", sources });

describe("editsOf()", () => {
  it("names what has another version, and what is gone", () => {
    expect(editsOf({ mesh: 2, config: 1 }, madeOf("config@1", "mesh@1", "values/10-a@12"))).toEqual([
      "mesh@2",
      "values/10-a (deleted)",
    ]);
    expect(editsOf({ mesh: 2 }, madeOf("mesh@2"))).toEqual([]);
  });

  it("has everything as new before the first release, and nothing where a release does not say what it was made of", () => {
    expect(editsOf({ mesh: 2 }, undefined)).toEqual(["mesh@2"]);
    const { sources: _, ...unsaid } = madeOf();
    expect(editsOf({ mesh: 2 }, unsaid)).toEqual([]);
  });

  it("counts what is more than a dozen", () => {
    const versions = Object.fromEntries(Array.from({ length: 14 }, (_, index) => [`values/${10 + index}`, 1]));
    expect(editsOf(versions, madeOf())).toEqual([...sourcesOf(versions).slice(0, 12), "and 2 more"]);
    const { "values/10": _, "values/11": __, ...dozen } = versions;
    expect(editsOf(dozen, madeOf())).toEqual(sourcesOf(dozen));
  });
});
