import { expect, it } from "vitest";
import { ageOf } from "./age-of.ts";

const NOW = Date.parse("2026-01-10T00:00:00Z");
const ago = (milliseconds: number) => ageOf(new Date(NOW - milliseconds).toISOString(), NOW);

it("ageOf() counts in the largest unit of which there is a whole one, as kubectl does", () => {
  const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];
  expect([0, 999, second, minute - 1].map(ago)).toEqual(["0s", "0s", "1s", "59s"]);
  expect([minute, hour - 1].map(ago)).toEqual(["1m", "59m"]);
  expect([hour, day - 1].map(ago)).toEqual(["1h", "23h"]);
  expect([day, 400 * day].map(ago)).toEqual(["1d", "400d"]);
});

it("ageOf() takes a time of a clock that is ahead for now, and shows what is no time unchanged", () => {
  expect(ago(-5000)).toBe("0s");
  expect(ageOf("yesterday", NOW)).toBe("yesterday");
  expect(ageOf("", NOW)).toBe("");
});
