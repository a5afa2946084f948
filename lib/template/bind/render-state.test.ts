import fc from "fast-check";
import { expect, test } from "vitest";
import { branchKeyOf, branchKeyReader, decide, startRender } from "./render-state.ts";

test("branchKeyReader() gives the decisions back, then false", () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 40 }), (decisions) => {
      const state = startRender([]);
      for (const decision of decisions) decide(state, decision);
      const branchKey = branchKeyOf(state);
      expect(branchKey).toMatch(/^[0-o]*$/);
      expect(branchKey.length).toBe(Math.ceil(decisions.length / 6));
      const read = branchKeyReader(branchKey);
      expect([...decisions, false].map(() => read())).toEqual([...decisions, false]);
    }),
    { examples: [[[]], [Array(6).fill(true)], [Array(7).fill(false)]] },
  );
});
