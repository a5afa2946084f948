import { expect, test } from "vitest";
import { boundedCache } from "./bounded-cache.ts";

test("boundedCache() keeps what is used when others come and go", () => {
  const cache = boundedCache<number>(4, 1000);
  cache.set("used", 0, 1);
  for (let index = 1; index < 100; index++) {
    cache.set(`once${index}`, index, 1);
    expect(cache.get("used")).toBe(0);
  }
  expect(cache.get("once1")).toBe(undefined);
  expect(cache.get("once99")).toBe(99);
  expect(cache.values().length).toBeLessThanOrEqual(8);
});

test("boundedCache() is bounded by bytes, and does not take what would fill it alone", () => {
  const cache = boundedCache<number>(1000, 100);
  for (let index = 0; index < 50; index++) cache.set(`k${index}`, index, 20);
  expect(cache.values().length).toBeLessThanOrEqual(10);
  cache.set("huge", 1, 26);
  expect(cache.get("huge")).toBe(undefined);
});
