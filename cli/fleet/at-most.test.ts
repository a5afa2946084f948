import { describe, expect, it } from "vitest";
import { atMost } from "./at-most.ts";

describe("atMost()", () => {
  it("keeps the order of the items, and never has more tasks under way", async () => {
    let under = 0;
    let most = 0;
    const items = Array.from({ length: 25 }, (_, index) => index);
    const results = await atMost(4, items, async (item) => {
      most = Math.max(most, ++under);
      await new Promise((resolve) => setTimeout(resolve, item % 3));
      under--;
      return item * 2;
    });
    expect(results).toEqual(items.map((item) => item * 2));
    expect(most).toBe(4);
  });

  it("begins nothing more once a result says so, and waits for what is under way", async () => {
    const begun: number[] = [];
    const task = async (item: number) => {
      begun.push(item);
      await new Promise((resolve) => setTimeout(resolve, item * 5));
      return item;
    };
    expect(await atMost(2, [1, 3, 0, 0], task, (item) => item !== 1)).toEqual([1, 3, undefined, undefined]);
    expect(begun).toEqual([1, 3]);
    expect(await atMost(1, [], task)).toEqual([]);
  });
});
