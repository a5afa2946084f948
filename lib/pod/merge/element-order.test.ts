import { describe, expect, it } from "vitest";
import { indexKeys, orderItems } from "./element-order.ts";

const order = (merged: string, named: string, target: string) =>
  orderItems([...merged], (item) => item, indexKeys([...named]), indexKeys([...target])).join("");

describe("orderItems()", () => {
  it.each([
    ["of the overlay alone, in its order", "abc", "cba", "", "cba"],
    ["of the target alone, in its order", "bca", "", "abc", "abc"],
    ["of the overlay that are new before those of the target", "abx", "x", "ab", "xab"],
    ["of both by their places in the target", "abcd", "cb", "abcd", "acbd"],
    ["that neither has, where an insertion sort leaves them", "bxa", "", "ab", "axb"],
    ["that neither has, the later first", "axy", "", "a", "yxa"],
    ["that neither has, next to one of the overlay", "bxac", "c", "abc", "acxb"],
  ])("puts items %s", (_what, merged, named, target, ordered) => {
    expect(order(merged, named, target)).toBe(ordered);
  });
});
