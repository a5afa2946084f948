import { isObject, type JsonObject, type JsonValue, jsonEqual } from "@outrigger/base";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  arbitraryObject,
  arbitraryOverlay,
  arbitraryPod,
  deepFreeze,
  RUNS,
} from "../../../test/support/arbitrary-pod.ts";
import { strategicMerge } from "../merge/strategic-merge.ts";
import { type Difference, diffObjects, formatDifferencePath } from "./diff-objects.ts";

const pairs: readonly (readonly [string, fc.Arbitrary<readonly [JsonObject, JsonObject]>])[] = [
  ["two pods", fc.tuple(arbitraryPod, arbitraryPod)],
  [
    "a pod and what an overlay made of it",
    fc.tuple(arbitraryPod, arbitraryOverlay).map(([pod, overlay]) => [pod, strategicMerge(pod, overlay)] as const),
  ],
  ["any two objects", fc.tuple(arbitraryObject, arbitraryObject)],
];

/** A list with keys that is absent equals an empty one. */
function withoutEmptyLists(value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(value)) return value.map((item) => withoutEmptyLists(item) ?? null);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([, entry]) => !(Array.isArray(entry) && entry.length === 0));
  return Object.fromEntries(kept.map(([key, entry]) => [key, withoutEmptyLists(entry)]));
}

const OPPOSITE = { added: "removed", removed: "added", changed: "changed", reordered: "reordered" } as const;

describe("diffObjects()", () => {
  it.each(pairs)("finds a difference exactly where there is one between %s", (_what, pair) => {
    const isExact = ([before, after]: readonly [JsonObject, JsonObject]) => {
      deepFreeze(before);
      deepFreeze(after);
      const found = diffObjects(before, after);
      if (jsonEqual(before, after)) return found.length === 0;
      return found.length > 0 || jsonEqual(withoutEmptyLists(before), withoutEmptyLists(after));
    };
    fc.assert(fc.property(pair, isExact), { numRuns: RUNS });
  });

  it.each(pairs)("finds the same the other way round between %s", (_what, pair) => {
    const line = ({ path, before, after }: Difference, kind: string) =>
      `${kind} ${formatDifferencePath(path)} ${JSON.stringify([before, after])}`;
    fc.assert(
      fc.property(pair, ([before, after]) => {
        const there = diffObjects(before, after).map((one) => line(one, one.kind));
        const back = diffObjects(after, before).map(({ before: was, after: is, ...one }) =>
          line({ ...one, before: is, after: was } as Difference, OPPOSITE[one.kind]),
        );
        expect(back.sort()).toEqual(there.sort());
      }),
      { numRuns: RUNS },
    );
  });

  it("finds nothing in an object compared with its copy, whatever its lists are", () => {
    const isNone = (pod: JsonObject) => diffObjects(pod, JSON.parse(JSON.stringify(pod)) as JsonObject).length === 0;
    fc.assert(fc.property(arbitraryPod, isNone), { numRuns: RUNS });
  });
});
