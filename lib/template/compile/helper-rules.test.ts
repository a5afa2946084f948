import { describe, expect, it } from "vitest";
import { arityOf, REFUSED_HELPERS, TEXT_HELPERS } from "./helper-rules.ts";

describe("arityOf()", () => {
  it.each([
    [0, Number.POSITIVE_INFINITY, "list dict strdict"],
    [
      1,
      1,
      "not empty trim toLower lower toUpper upper directory first last len uniq compact keys sorted omitNil int string bool toJson toJSON structToJSON fromJson fromJSON includeInboundPorts applicationPorts formatDuration protoToJSON",
    ],
    [1, Number.POSITIVE_INFINITY, "and or coalesce quote squote printf concat merge mergeMaps add toJsonMap"],
    [
      2,
      2,
      "lookup ne lt le gt ge default valueOrDefault isset contains hasPrefix hasSuffix trunc trimAll trimPrefix trimSuffix join split splitList append prepend has pluck get hasKey sub excludeInboundPort appendMultusNetwork",
    ],
    [2, Number.POSITIVE_INFINITY, "eq without index omit pick"],
    [3, 3, "ternary replace annotation"],
    [5, 5, "otelResourceAttributes"],
  ])("is %d to %d arguments for %s", (least, most, names) => {
    for (const name of names.split(" ")) expect([name, arityOf(name)]).toEqual([name, [least, most]]);
  });

  it("is undefined for what is no helper", () => {
    expect(arityOf("other")).toBeUndefined();
    expect(arityOf("toString")).toBeUndefined();
  });
});

describe("the helpers of Helm", () => {
  it("are refused with something to do instead, or add quotes", () => {
    expect([...REFUSED_HELPERS.keys()].sort()).toEqual(
      ["env", "fromYaml", "include", "indent", "log", "nindent", "template", "toYAML", "toYaml", "tpl"].sort(),
    );
    expect([...TEXT_HELPERS]).toEqual(["quote", "squote"]);
  });
});
