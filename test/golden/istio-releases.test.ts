// What Istio's injector of each supported release makes of the cases on which it differs, through `injectPod`. Here every
// kind of difference is run, and a few of the most frequent; all cases: `npm run conformance -- --istio 1.30`.

import { jsonEqual } from "@outrigger/base";
import { ISTIO_RELEASES } from "@outrigger/mesh";
import { describe, expect, it } from "vitest";
import { vendoredSets } from "../../tools/conformance/case-sets.ts";
import { compareObjects } from "../../tools/conformance/compare-objects.ts";
import type { ConformanceCase } from "../../tools/conformance/conformance-case.ts";
import { throughInjector } from "../../tools/conformance/entry-points.ts";
import { judgeCase } from "../../tools/conformance/judge-case.ts";
import { MEASURED_RELEASES } from "../reference/measured-releases.ts";
import { casesOfRelease } from "../reference/release-expectations.ts";
import { findCases } from "./cases.ts";

const { injectorOf } = await findCases();
const cases = vendoredSets().flatMap((set) => set.cases);
const EACH_KIND = 6;

/** The first cases of each kind of difference from the development line. */
function ofEachKind(found: readonly ConformanceCase[]): readonly ConformanceCase[] {
  const counts = new Map<string, number>();
  return found.filter((each, index) => {
    const lines = differences(cases[index] as ConformanceCase, each);
    return lines.filter((kind) => {
      const count = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, count);
      return count <= EACH_KIND;
    }).length;
  });
}

function differences({ expect: base }: ConformanceCase, { expect: other }: ConformanceCase): readonly string[] {
  if (jsonEqual(base, other)) return [];
  if (base.pod === undefined || other.pod === undefined) return ["verdict"];
  return compareObjects(base.pod, other.pod).map((line) => line.slice(0, line.indexOf(":")));
}

const NUMBERED = ISTIO_RELEASES.filter((release) => release !== "development");

/** The names of cases on which some release differs from the development line. */
const telling = new Set(
  NUMBERED.flatMap((release) => ofEachKind(casesOfRelease(cases, release))).map(({ name }) => name),
);

describe.each(NUMBERED)("injectPod() for Istio %s", (release) => {
  const all = casesOfRelease(cases, release);
  const isDifferent = MEASURED_RELEASES[release].cases === "differ";
  const found = isDifferent ? ofEachKind(all) : all.filter(({ name }) => telling.has(name));

  it("has cases on which releases differ", () => expect(found.length).toBeGreaterThan(10));

  it.each(found)("gives what the reference gives in $name", async (conformanceCase) => {
    const { expect: _, ...input } = conformanceCase;
    const outcome = await throughInjector(input, injectorOf(input));
    expect(judgeCase(conformanceCase, outcome, compareObjects)).toEqual([]);
  });
});
