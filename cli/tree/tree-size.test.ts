import { MAX_OBJECT } from "@outrigger/aws";
import { describe, expect, it } from "vitest";
import { describeSize } from "./tree-size.ts";

describe("describeSize()", () => {
  const size = (release: number) => ({ release, free: MAX_OBJECT - release, source: { parameters: 2 } });

  it("says what is left", () => {
    expect(describeSize(size(1000), {})).toBe(
      `Release: 1000 characters, ${MAX_OBJECT - 1000} free\nSource: 2 parameters\n`,
    );
    expect(describeSize(size(MAX_OBJECT), {})).not.toContain("Warning");
  });

  it("names the largest texts of a tree that is too large for an object", () => {
    const tree = { "values/10-mine": "a".repeat(500), "values/20-more": "b" };
    expect(describeSize(size(MAX_OBJECT + 1), tree)).toMatch(
      /, more than the 3145728 of an object\n.*\nWarning: it needs smaller texts: the largest, compressed, are values\/10-mine \(\d+\), /,
    );
  });
});
