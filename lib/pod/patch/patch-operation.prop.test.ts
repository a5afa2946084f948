import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arbitraryObject, deepFreeze, RUNS } from "../../../test/support/arbitrary-pod.ts";
import { formatPatch, type PatchOperation } from "./patch-operation.ts";

describe("formatPatch()", () => {
  it("prints what JSON.stringify prints, the first time and the second, of constants and of other values", () => {
    const operation = fc.oneof(
      fc.record({
        op: fc.constantFrom("add" as const, "replace" as const),
        path: fc.string({ maxLength: 8 }).map((step) => `/${step}`),
        value: fc.tuple(arbitraryObject, arbitraryObject).map(([own, constant]) => [own, deepFreeze(constant)]),
      }),
      fc.record({ op: fc.constant("remove" as const), path: fc.constant("/a~1b") }),
      fc.record({ op: fc.constant("move" as const), from: fc.constant("/a/0"), path: fc.constant("/a/1") }),
    ) as fc.Arbitrary<PatchOperation>;
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 4 }), (patch) => {
        const text = JSON.stringify(patch);
        expect(formatPatch(patch)).toBe(text);
        expect(formatPatch(patch)).toBe(text);
      }),
      { numRuns: RUNS },
    );
  });
});
