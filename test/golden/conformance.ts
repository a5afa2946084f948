// Istio's measured behaviour, case by case, through `injectPod`. The other doors: `npm run conformance`.
import { describe, expect, it } from "vitest";
import { throughInjector } from "../support/conformance-doors.ts";
import { judgeCase } from "../support/judge-case.ts";
import type { Cases } from "./cases.ts";

export function describeConformance({ directory, isThere, folders, compare, read, injectorOf }: Cases): void {
  // Where the data are not at hand there is nothing to compare with: the name of the suite says what to do about it.
  describe.skipIf(!isThere)(`injectPod() (cases in ${directory}, or set OUTRIGGER_CONFORMANCE)`, () => {
    it("finds cases", () => {
      expect(Object.keys(folders).length).toBeGreaterThan(0);
    });

    describe.each(Object.entries(folders))("%s", (folder, files) => {
      it.each(files)("gives what the reference gives in %s", async (file) => {
        const conformanceCase = read(folder, file);
        const { expect: _, ...input } = conformanceCase;
        const outcome = await throughInjector(input, injectorOf(input));
        expect(judgeCase(conformanceCase, outcome, compare)).toEqual([]);
      });
    });
  });
}
