import type { JsonValue } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { shippedTree } from "../../../../test/support/shipped-tree.ts";
import { compileRelease } from "../compile-release.ts";
import type { SourceTree } from "../source-tree.ts";
import { mergeValues } from "./merge-values.ts";
import { traceValues } from "./trace-values.ts";

const places = (...layers: readonly SourceTree[]) =>
  traceValues(layers).map(({ steps, value, path, line, isShipped }) => [
    steps.join("."),
    value,
    `${isShipped ? "shipped " : ""}${path}:${line}`,
  ]);

describe("traceValues()", () => {
  const shipped = { "values/10": "global:\n  hub: a\n  tag: one\nlist: [1]\nempty: {}\n" };

  it.each<[string, SourceTree, readonly unknown[]]>([
    [
      "nothing",
      {},
      [
        ["global.hub", "a", "shipped values/10:2"],
        ["global.tag", "one", "shipped values/10:3"],
        ["list", [1], "shipped values/10:4"],
        ["empty", {}, "shipped values/10:5"],
      ],
    ],
    [
      "a value, in a text of the same name",
      { "values/10": "# mine\nglobal: {tag: two}\n" },
      [
        ["global.hub", "a", "shipped values/10:2"],
        ["global.tag", "two", "values/10:2"],
        ["list", [1], "shipped values/10:4"],
        ["empty", {}, "shipped values/10:5"],
      ],
    ],
    [
      "two texts, of which the later one takes values away",
      { "values/20": "global: {tag: two}\nempty: {now: 1}\n", "values/30": "global:\n  hub: null\nlist: null\n" },
      [
        ["global.tag", "two", "values/20:1"],
        ["empty.now", 1, "values/20:2"],
      ],
    ],
    [
      "values that are complete",
      { config: "defaults: none\n", "values/mine": "own: true\n" },
      [
        ["global.tag", "one", "values/01-release:2"],
        ["own", true, "values/mine:1"],
      ],
    ],
  ])("names the last text that set each value when a tree has %s", (_what, own, expected) => {
    expect(places(shipped, own)).toEqual(expected);
  });

  it("has the values of the release, each once", async () => {
    const layers = [
      await shippedTree(),
      { config: 'istio: "1.30"\n', "values/mine": "global: {proxy: {logLevel: debug}}\n" },
    ];
    const traced = traceValues(layers);
    const values = mergeValues(
      traced.map(({ steps, value }) => steps.reduceRight<JsonValue>((inner, step) => ({ [step]: inner }), value)),
    );
    expect(new Set(traced.map(({ steps }) => steps.join("\n"))).size).toBe(traced.length);
    expect(values).toEqual(compileRelease(layers).values);
  });

  it("says what keeps the values from being read", () => {
    expect(() => traceValues([shipped, { "values/20": "a: [\n" }])).toThrow(
      expect.objectContaining({ code: "yaml-invalid", path: "values/20" }),
    );
  });
});
