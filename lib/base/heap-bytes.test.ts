import { describe, expect, it } from "vitest";
import { heapBytes } from "./heap-bytes.ts";

describe("heapBytes()", () => {
  // The real heap is measured by tools/load/cache-heap.test.ts; this holds what the figure is made of.
  it.each<[string, unknown, number]>([
    ["a number", 1, 24],
    ["nothing", null, 24],
    ["a long text of Latin-1", "é".repeat(16), 32 + 16],
    ["a long text of wider characters", "€".repeat(16), 32 + 32],
    ["a short text, which is not looked at", "a".repeat(15), 32 + 30],
    ["a list of two", [1, 2], 64 + 24 + 24],
    ["a field", { a: 1 }, 64 + 64 + 34 + 24],
    ["a field after the digits", { ":": 1 }, 64 + 64 + 34 + 24],
    ["a field before the digits", { "/": 1 }, 64 + 64 + 34 + 24],
    ["the first number for a key", { 0: 1 }, 64 + 64 + 34 + 256 + 24],
    ["the last number for a key", { 9: 1 }, 64 + 64 + 34 + 256 + 24],
    ["a list in a field", { a: [1] }, 64 + 64 + 34 + 64 + 24],
    ["a list in a list", [[], []], 64 + 64 + 64],
  ])("counts %s", (_what, value, bytes) => {
    expect(heapBytes(value)).toBe(bytes);
  });

  it("counts an object that two values share in the first of them", () => {
    const shared = { a: 1 };
    const counted = new WeakSet<object>();
    expect(heapBytes([shared, shared], counted)).toBe(64 + heapBytes(shared));
    expect(heapBytes({ b: shared }, counted)).toBe(64 + 64 + 34);
    expect(heapBytes([shared, shared])).toBe(64 + 2 * heapBytes(shared));
  });
});
