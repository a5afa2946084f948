// The verdict on a case: equal to the reference, different as a row of docs/reference/differences.json says, or unknown.
import type { Release } from "@outrigger/injector";
import { compareObjects } from "./compare-objects.ts";
import type { ConformanceCase } from "./conformance-case.ts";
import { type DifferenceRow, explainingRows } from "./differences.ts";
import type { CaseOutcome, EntryPointOutcome } from "./entry-points.ts";
import { judgeCase } from "./judge-case.ts";
import { type CaseResult, caseResult, type EntryPointResult } from "./report.ts";

/** The release as it is without `compatibility: reference`, with which every case is compiled. */
export function byDefault({ config: { compatibility: _, ...config }, ...release }: Release): Release {
  return { ...release, config };
}

/**
 * A case that is equal with the setting may differ without it, by a row of the setting.
 *
 * @param outcomes with `compatibility: reference`
 * @param outcome as configured by default, if that was tried
 */
export function caseVerdict(
  conformanceCase: ConformanceCase,
  outcomes: readonly EntryPointOutcome[],
  outcome: CaseOutcome | undefined,
): CaseResult {
  const { name } = conformanceCase;
  const judged = outcomes.map((each) => verdictAt(conformanceCase, each, [null]));
  if (outcome === undefined) return caseResult(name, judged);
  const isEqual = judged.every(({ differences }) => differences.length === 0);
  const settings = isEqual ? (["compatibility"] as const) : ([null, "compatibility"] as const);
  return caseResult(name, [...judged, verdictAt(conformanceCase, { entryPoint: "default", outcome }, settings)]);
}

/** A case that cannot be judged, such as one whose annotations are not what they should be, is a difference of its own. */
function verdictAt(
  conformanceCase: ConformanceCase,
  { entryPoint, outcome }: EntryPointOutcome,
  settings: readonly DifferenceRow["setting"][],
): EntryPointResult {
  try {
    const differences = judgeCase(conformanceCase, outcome, compareObjects);
    if (differences.length === 0) return { entryPoint, differences, rows: [] };
    const rows = explainingRows(conformanceCase, outcome, settings, differences.length);
    return { entryPoint, differences, rows };
  } catch (error) {
    return { entryPoint, differences: [`cannot be judged: ${String(error)}`], rows: [] };
  }
}
