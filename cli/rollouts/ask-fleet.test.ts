import { describe, expect, it } from "vitest";
import { leftOutError, leftOutText } from "./ask-fleet.ts";

const [pay, till] = [
  { cluster: "pay", code: "cluster-unreachable", message: "nothing answers" },
  { cluster: "till", pods: 3, code: "cluster-denied", message: "you may not" },
] as const;

describe("leftOutError()", () => {
  it("is none where every cluster was asked", () => {
    expect(leftOutError([], 2)).toBeUndefined();
  });

  it("has the code of the first, and counts those that were opened once", () => {
    expect(leftOutError([pay], 1)).toMatchObject({
      code: "cluster-unreachable",
      message: "1 of 2 clusters could not be asked: pay",
    });
    // One whose pods could not all be read is among those that were asked.
    expect(leftOutError([till, pay], 4)).toMatchObject({
      code: "cluster-denied",
      message: "2 of 5 clusters could not be asked: till, pay",
    });
  });
});

describe("leftOutText()", () => {
  it("has a line for each, with how far it was read", () => {
    expect(leftOutText([])).toBe("");
    expect(leftOutText([pay, till])).toBe(
      "pay is left out: nothing answers\ntill is left out after 3 pods: you may not\n",
    );
    expect(leftOutText([{ ...till, pods: 0 }])).toBe("till is left out after 0 pods: you may not\n");
  });
});
