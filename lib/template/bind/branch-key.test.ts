import fc from "fast-check";
import { expect, test } from "vitest";
import { decide, startTrail, traceOf, traceReader } from "./branch-key.ts";

test("traceReader() gives the decisions back, then false", () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 40 }), (decisions) => {
      const trail = startTrail([]);
      for (const decision of decisions) decide(trail, decision);
      const trace = traceOf(trail);
      expect(trace).toMatch(/^[0-o]*$/);
      const read = traceReader(trace);
      expect([...decisions, false].map(() => read())).toEqual([...decisions, false]);
    }),
  );
});
