import { expect, it } from "vitest";
import { compareTexts } from "./compare-texts.ts";

it("compareTexts() orders by code units, and finds equal texts equal", () => {
  expect(["b", "a", "B", "ä", "a"].toSorted(compareTexts)).toEqual(["B", "a", "a", "b", "ä"]);
  expect(compareTexts("a", "a")).toBe(0);
});
