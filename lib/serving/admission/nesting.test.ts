import { describe, expect, it } from "vitest";
import { assertNesting, MAX_NESTING } from "./review.ts";

const lists = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));
const objects = (levels: number): unknown => JSON.parse(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`);

describe("assertNesting()", () => {
  it("takes a value when it is as deep as allowed", () => {
    expect(() => assertNesting(lists(MAX_NESTING), "x")).not.toThrow();
    expect(() => assertNesting(objects(MAX_NESTING), "x")).not.toThrow();
  });

  it.each([MAX_NESTING + 1, 100_000])("refuses a value without overflowing when it is %d levels deep", (levels) => {
    const tooDeep = expect.objectContaining({ code: "review-invalid", path: "x" });
    expect(() => assertNesting(lists(levels), "x")).toThrow(tooDeep);
    expect(() => assertNesting(objects(levels), "x")).toThrow(tooDeep);
  });
});
