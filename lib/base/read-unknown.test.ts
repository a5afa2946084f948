import { describe, expect, it } from "vitest";
import { listOf, objectOf, objectsOf, textOf } from "./read-unknown.ts";

const VALUES: readonly unknown[] = ["a", "", 1, true, null, undefined, [1, { a: 1 }, null, []], { a: 1 }];

describe("readers of unknown JSON", () => {
  it("read what they name, and anything else as absent", () => {
    expect(VALUES.map(textOf)).toEqual(["a", "", ...Array(6).fill(undefined)]);
    expect(VALUES.map(objectOf)).toEqual([...Array(7).fill({}), { a: 1 }]);
    expect(VALUES.map((value) => listOf(value))).toEqual([...Array(6).fill([]), [1, { a: 1 }, null, []], []]);
    expect(VALUES.map(objectsOf)).toEqual([...Array(6).fill([]), [{ a: 1 }], []]);
  });
});
