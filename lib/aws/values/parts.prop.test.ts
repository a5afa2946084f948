import fc from "fast-check";
import { describe, it } from "vitest";
import { arbitraryCodePoint } from "../../../test/support/arbitrary-code-point.ts";
import { packParts, unpackParts } from "./parts.ts";

/** A tenth of the usual: compressing as well as can be takes its time. */
const numRuns = Math.ceil(Number(process.env["OUTRIGGER_PROPERTY_RUNS"] ?? 1000) / 10);

describe("parts", () => {
  it("give any JSON back, in any order", () => {
    const value = fc.oneof(
      fc.jsonValue(),
      fc.array(fc.string({ unit: arbitraryCodePoint, maxLength: 300 }), { maxLength: 20 }),
    );
    fc.assert(
      fc.property(value, fc.constantFrom("Standard", "Advanced"), fc.infiniteStream(fc.nat()), (given, tier, order) => {
        // As JSON has it: -0 is 0, and a lone surrogate is what UTF-8 makes of it.
        const json = JSON.stringify(JSON.parse(Buffer.from(JSON.stringify(given)).toString()));
        const { digest, parts } = packParts(json, tier, "it", "b");
        const keys = parts.map(() => order.next().value as number);
        const shuffled = parts.map((_, index) => index).sort((a, b) => (keys[a] as number) - (keys[b] as number));
        const read = unpackParts(
          shuffled.map((index) => parts[index] as string),
          digest,
          "it",
        );
        return read === json;
      }),
      { numRuns },
    );
  });
});
