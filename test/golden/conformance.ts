// Istio's measured behaviour, case by case, through `injectPod`. The other entry points: `npm run conformance`.
import { describe, expect, it } from "vitest";
import { compareObjects } from "../../tools/conformance/compare-objects.ts";
import { throughInjector } from "../../tools/conformance/entry-points.ts";
import { judgeCase } from "../../tools/conformance/judge-case.ts";
import type { Cases } from "./cases.ts";

export function describeConformance({ sets, injectorOf }: Cases): void {
  describe.each(sets)("injectPod() on cases of $name", ({ cases }) => {
    it.each(cases)("gives what the reference gives in $name", async (conformanceCase) => {
      const { expect: _, ...input } = conformanceCase;
      const outcome = await throughInjector(input, injectorOf(input));
      expect(judgeCase(conformanceCase, outcome, compareObjects)).toEqual([]);
    });
  });
}
