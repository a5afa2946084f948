import { expect, it } from "vitest";
import { boundedCache } from "./bounded-cache.ts";
import { type Counted, cacheMemory } from "./cache-memory.ts";
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

it("boundedCache() counts what its values share once, and again where they outlive what was counted", () => {
  const memory = cacheMemory(() => 100_000);
  const cache = boundedCache<readonly object[]>(memory);
  const texts = Array.from({ length: 60 }, (_, index) => `${index}`.padEnd(90));
  const shared = { texts };
  const own = (index: number) => [shared, { index }];
  const size = (value: object) => (counted?: Counted) => heapBytes(value, counted);
  for (let index = 0; index < 60; index++) cache.set(`k${index}`, own(index), size(own(index)));
  expect(cache.values().length).toBe(60);
  // Each with parts of its own: the ones before are dropped with the bytes that these take.
  const alone = (index: number) => [{ texts: texts.map((text) => `${text}${index}`) }];
  for (let index = 0; index < 60; index++) {
    cache.set(`a${index}`, alone(index), size(alone(index)));
    // What refers to the shared parts is used, so these are counted in each generation.
    cache.get("k0");
  }
  expect(cache.get("k0")).toEqual(own(0));
  expect(heapBytes(cache.values())).toBeLessThan(100_000);
});
