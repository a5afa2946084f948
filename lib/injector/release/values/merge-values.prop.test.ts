import { isObject, type JsonObject, type JsonValue } from "@outrigger/base";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergeValues } from "./merge-values.ts";

const numRuns = Number(process.env["OUTRIGGER_PROPERTY_RUNS"] ?? 1000);
const keys = fc.constantFrom("a", "b", "c", "__proto__", "constructor", "");
const { layer } = fc.letrec<{ value: JsonValue; layer: JsonObject }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<JsonValue>(null, 0, "x", true, [null], []),
    tie("layer"),
  ),
  layer: fc.array(fc.tuple(keys, tie("value")), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
}));

describe("mergeValues()", () => {
  it("gives what merging one after another gives when there are three layers", () => {
    fc.assert(
      fc.property(layer, layer, layer, (a, b, c) => {
        expect(mergeValues([a, b, c])).toEqual(mergeValues([mergeValues([a, b]), c]));
      }),
      { numRuns },
    );
  });

  it("changes nothing when it merges its own result with nothing, or with itself", () => {
    fc.assert(
      fc.property(layer, layer, (a, b) => {
        const merged = mergeValues([a, b]);
        expect(mergeValues([merged, {}])).toEqual(merged);
        expect(mergeValues([merged, merged])).toEqual(merged);
      }),
      { numRuns },
    );
  });

  it("has the last word's value at every path when that layer is not null there", () => {
    fc.assert(
      fc.property(layer, layer, (a, b) => {
        for (const [path, value] of leavesOf(b)) expect(valueAt(mergeValues([a, b]), path)).toEqual(value ?? undefined);
      }),
      { numRuns },
    );
  });

  it("leaves its input as it was when that is frozen", () => {
    fc.assert(
      fc.property(layer, layer, (a, b) => {
        expect(() => mergeValues([deepFreeze(a), deepFreeze(b)])).not.toThrow();
      }),
      { numRuns },
    );
  });
});

function leavesOf(
  value: JsonObject,
  path: readonly string[] = [],
): readonly (readonly [readonly string[], JsonValue])[] {
  return Object.entries(value).flatMap(([key, child]) =>
    isObject(child) ? leavesOf(child, [...path, key]) : [[[...path, key], child as JsonValue] as const],
  );
}

function valueAt(value: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>(
    (node, key) => (isObject(node) && Object.hasOwn(node, key) ? node[key] : undefined),
    value,
  );
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}
