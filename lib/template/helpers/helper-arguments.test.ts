import { describe, expect, it } from "vitest";
import { arityOf, HELPER_ARGUMENTS, LOOKUP_ARGUMENTS } from "./helper-arguments.ts";
import { helpers } from "./helpers.ts";

it("HELPER_ARGUMENTS has every general helper, and no other", () => {
  expect(Object.keys(HELPER_ARGUMENTS).sort()).toEqual(Object.keys(helpers).sort());
});

describe("arityOf()", () => {
  it.each([
    [0, Number.POSITIVE_INFINITY, "list dict strdict"],
    [
      1,
      1,
      "not empty trim toLower lower toUpper upper directory first last len uniq compact keys sorted omitNil int string bool toJson toJSON structToJSON fromJson fromJSON includeInboundPorts applicationPorts formatDuration",
    ],
    [1, Number.POSITIVE_INFINITY, "and or coalesce quote squote printf concat merge mergeMaps add toJsonMap"],
    [
      2,
      2,
      "ne lt le gt ge default valueOrDefault isset contains hasPrefix hasSuffix trunc trimAll trimPrefix trimSuffix join split splitList append prepend has pluck get hasKey sub excludeInboundPort appendMultusNetwork",
    ],
    [2, Number.POSITIVE_INFINITY, "eq without index omit pick"],
    [3, 3, "ternary replace annotation"],
    [5, 5, "otelResourceAttributes"],
  ])("is %d to %d arguments for %s", (least, most, names) => {
    for (const name of names.split(" "))
      expect([name, arityOf(HELPER_ARGUMENTS[name] ?? [])]).toEqual([name, [least, most]]);
  });

  it("is 2 for lookup", () => {
    expect(arityOf(LOOKUP_ARGUMENTS)).toEqual([2, 2]);
  });

  it("counts an argument that may be left out", () => {
    expect(arityOf(HELPER_ARGUMENTS["slice"] ?? [])).toEqual([2, 3]);
    expect(arityOf(HELPER_ARGUMENTS["dig"] ?? [])).toEqual([3, Number.POSITIVE_INFINITY]);
  });
});
