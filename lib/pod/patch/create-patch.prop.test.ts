import { isObject, type JsonObject, type JsonValue, jsonEqual } from "@outrigger/base";
import fc from "fast-check";
import jsonpatch from "fast-json-patch";
import { describe, expect, it } from "vitest";
import {
  arbitraryObject,
  arbitraryOverlay,
  arbitraryPod,
  deepFreeze,
  RUNS,
} from "../../../test/support/arbitrary-pod.ts";
import { strategicMerge } from "../merge/strategic-merge.ts";
import { applyPatch } from "./apply-patch.ts";
import { createPatch } from "./create-patch.ts";
import type { PatchOperation } from "./patch-operation.ts";

const podPair = fc.tuple(arbitraryPod, arbitraryPod);
const mergedPair = mergedFrom(arbitraryPod, arbitraryOverlay);
const anyPair = fc.tuple(arbitraryObject, arbitraryObject);

function mergedFrom(pods: fc.Arbitrary<JsonObject>, overlays: fc.Arbitrary<JsonObject>) {
  return fc
    .tuple(pods, overlays)
    .map(([pod, overlay]) => [pod, strategicMerge(pod, overlay)] as [JsonObject, JsonObject]);
}

/** Keys that the other applier refuses outright. */
const REFUSED = ["__proto__", "constructor"];

/**
 * Returns the value with other names for the refused keys. Leaving out the values that have one would leave out most.
 */
function withoutRefused<T extends JsonValue | undefined>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutRefused) as JsonValue as T;
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, entry]) => {
    return [REFUSED.includes(key) ? `${key}~` : key, withoutRefused(entry)] as const;
  });
  return Object.fromEntries(entries) as JsonValue as T;
}

type Diff = (before: JsonObject, after: JsonObject) => readonly PatchOperation[];

function leadsThere(diff: Diff) {
  return ([before, after]: readonly [JsonObject, JsonObject]) => {
    deepFreeze(before);
    deepFreeze(after);
    return jsonEqual(applyPatch(before, diff(before, after)), after);
  };
}

describe("createPatch()", () => {
  it.each([
    ["two pods", podPair],
    ["a pod and what an overlay made of it", mergedPair],
    ["any two objects", anyPair],
  ])("leads from the one to the other when applied to %s", (_, pair) => {
    fc.assert(fc.property(pair, leadsThere(createPatch)), { numRuns: RUNS });
  });

  it("leads there when another applier reads its text", () => {
    const pods = arbitraryPod.map(withoutRefused);
    const pairs = fc.oneof(fc.tuple(pods, pods), mergedFrom(pods, arbitraryOverlay.map(withoutRefused)));
    fc.assert(
      fc.property(pairs, ([before, after]) => {
        const text = JSON.stringify(createPatch(before, after));
        const document = JSON.parse(JSON.stringify(before));
        const applied = jsonpatch.applyPatch(document, JSON.parse(text), true).newDocument;
        return jsonEqual(applied, JSON.parse(JSON.stringify(after)));
      }),
      { numRuns: RUNS },
    );
  });

  it("is empty when nothing changed", () => {
    fc.assert(
      fc.property(arbitraryPod, (pod) => createPatch(pod, structuredClone(pod)).length === 0),
      { numRuns: RUNS },
    );
  });

  it("survives as text when it goes over the wire", () => {
    fc.assert(
      fc.property(podPair, ([before, after]) => {
        const patch = JSON.parse(JSON.stringify(createPatch(before, after))) as readonly PatchOperation[];
        return jsonEqual(applyPatch(before, patch), JSON.parse(JSON.stringify(after)));
      }),
      { numRuns: RUNS },
    );
  });

  it.each<[string, Diff]>([
    [
      "pointers are not escaped",
      (before, after) =>
        createPatch(before, after).map((operation) => ({
          ...operation,
          path: operation.path.replaceAll("~1", "/").replaceAll("~0", "~"),
        })),
    ],
    ["removals are forgotten", (before, after) => createPatch(before, after).filter(({ op }) => op !== "remove")],
    ["moves are forgotten", (before, after) => createPatch(before, after).filter(({ op }) => op !== "move")],
    ["operations come in another order", (before, after) => [...createPatch(before, after)].reverse()],
  ])("is found wrong when %s", (_, mutant) => {
    const check = fc.check(
      fc.property(podPair, (pair) => {
        try {
          return leadsThere(mutant)(pair);
        } catch {
          return false;
        }
      }),
      { numRuns: Math.max(RUNS, 1000) },
    );
    expect(check.failed).toBe(true);
  });
});
