import { describe, expect, it } from "vitest";
import { repeatFill } from "./repeat-fill.ts";
import type { Shape } from "./shape.ts";

const POSITION = ["t", 1, 1] as const;
const value = (index: number): Shape => ["value", index, POSITION];

/** A filler of maps that are new each time, as those of a shape are. */
const filler = (shape: Shape) => repeatFill(shape, (values, base) => ({ a: values[base] as string }));

describe("repeatFill()", () => {
  it.each([
    ["a text", "a"],
    ["a text of 1000 characters", "x".repeat(1000)],
    ["a number", 1],
    ["a boolean", false],
    ["null", null],
    ["nothing", undefined],
    ["a constant node", Object.freeze({})],
  ])("gives the same node again, frozen, for %s", (_what, given) => {
    const fill = filler(["map", [["a", value(0)]]]);
    const first = fill([given], 0);
    expect(fill([given], 0)).toBe(first);
    expect(Object.isFrozen(first)).toBe(true);
  });

  it.each([
    ["a text that is longer", "x".repeat(1001)],
    ["a node of the pod", {}],
    ["a list of the pod", []],
  ])("gives another node each time for %s", (_what, given) => {
    const fill = filler(["map", [["a", value(0)]]]);
    const first = fill([given], 0);
    expect(fill([given], 0)).not.toBe(first);
    expect(Object.isFrozen(first)).toBe(false);
  });

  it.each<[string, Shape]>([
    ["a value", value(1)],
    ["a text", ["text", ["x-", [1, POSITION]]]],
    ["a list's item", ["list", [["static", 1], value(1)]]],
    ["a map's value", ["map", [["k", value(1)]]]],
    ["a map's key", ["map", [[[[1, POSITION]], ["static", 1]]]]],
  ])("looks at %s, from where the shape's values begin", (_what, part) => {
    const fill = filler(["at", 1, part]);
    const first = fill(["base", "other", "another", "seen"], 1);
    expect(fill(["more", "others", "any", "seen"], 1)).toBe(first);
    expect(fill(["base", "other", "another", "changed"], 1)).not.toBe(first);
  });
});
