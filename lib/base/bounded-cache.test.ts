import { expect, it } from "vitest";
import { boundedCache } from "./bounded-cache.ts";
import { cacheMemory } from "./cache-memory.ts";

it("boundedCache() keeps what is used when others come and go", () => {
  const cache = boundedCache<number>(cacheMemory(() => 10_000));
  cache.set("used", 0, 100);
  for (let index = 1; index < 100; index++) {
    cache.set(`once${index}`, index, 100);
    expect(cache.get("used")).toBe(0);
  }
  expect(cache.get("once1")).toBe(undefined);
  expect(cache.get("once99")).toBe(99);
});

it("boundedCache() is bounded by bytes, and does not take what would fill an eighth of them alone", () => {
  const cache = boundedCache<number>(cacheMemory(() => 100_000));
  for (let index = 0; index < 50; index++) cache.set(`k${index}`, index, 9000);
  expect(cache.values().length).toBeLessThanOrEqual(11);
  expect(cache.values().length).toBeGreaterThan(4);
  cache.set("huge", 1, 13_000);
  expect(cache.get("huge")).toBe(undefined);
});

it("boundedCache() shares its memory with other caches: what one takes, all of them lose", () => {
  const memory = cacheMemory(() => 100_000);
  const [one, other] = [boundedCache<number>(memory), boundedCache<number>(memory)];
  one.set("a", 1, 100);
  for (let index = 0; index < 50; index++) other.set(`k${index}`, index, 9000);
  expect(one.values()).toEqual([]);
  expect(other.values().length).toBeLessThanOrEqual(11);
});

it("boundedCache() takes a value that is set again once", () => {
  const cache = boundedCache<number>(cacheMemory(() => 100_000));
  cache.set("a", 1, 9000);
  for (let time = 0; time < 100; time++) cache.set("b", time, 9000);
  expect(cache.get("a")).toBe(1);
});
