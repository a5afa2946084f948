import { expect, it } from "vitest";
import { type BoundedCache, boundedCache, cacheMemory } from "./bounded-cache.ts";
import { heapBytes } from "./heap-bytes.ts";

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

it("boundedCache() counts what its values share once", () => {
  const cache = boundedCache<object>(cacheMemory(() => 100_000));
  const shared = largePart(0);
  for (let index = 0; index < 60; index++) setCounted(cache, `k${index}`, [shared, { index }]);
  expect(cache.values().length).toBe(60);
});

it("boundedCache() counts parts again with each generation that holds them", () => {
  const cache = boundedCache<object>(cacheMemory(() => 100_000));
  for (let index = 0; index < 60; index++) {
    setCounted(cache, `k${index}`, [largePart(index)]);
    // All are used, so that each goes from generation to generation.
    for (let before = 0; before < index; before++) cache.get(`k${before}`);
    expect(heapBytes(cache.values())).toBeLessThan(100_000);
  }
});

/** Returns a value of about 8 KB. */
function largePart(index: number): object {
  return { texts: Array.from({ length: 60 }, (_, text) => `${index} ${text}`.padEnd(90)) };
}

function setCounted(cache: BoundedCache<object>, key: string, value: object): void {
  cache.set(key, value, (counted) => heapBytes(value, counted));
}
