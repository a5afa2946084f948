// Says how an outcome differs from what a case expects.
import type { JsonObject } from "@outrigger/base";
import type { Compare } from "./compare-objects.ts";
import type { CaseExpectation, ConformanceCase } from "./conformance-case.ts";
import { type CaseOutcome, readDocuments } from "./entry-points.ts";
import { podsOf } from "./manifest-pods.ts";

/** Judges the outcome of a case. The result is empty if the outcome is what the case expects. */
export function judgeCase(conformanceCase: ConformanceCase, outcome: CaseOutcome, compare: Compare): readonly string[] {
  const { expect } = conformanceCase;
  if (expect.error !== undefined) {
    if (outcome.kind === "denied") return [];
    return [`denial expected (${expect.error.trim()}), ${describe(outcome)} found`];
  }
  if (outcome.kind === "denied" || outcome.kind === "failed") return [describe(outcome)];
  if (outcome.kind === "pod") return judgePod(conformanceCase, outcome, compare);
  if (outcome.kind === "pods") return judgePods(conformanceCase, outcome, compare);
  return judgeDocuments(conformanceCase, outcome, compare);
}

function judgePod(
  { expect, request }: ConformanceCase,
  outcome: OutcomeOf<"pod">,
  compare: Compare,
): readonly string[] {
  if (expect.injected === false) return outcome.patched ? ["no patch expected, a patch found"] : [];
  return compare(expect.pod, outcome.pod, request.object);
}

/** Judges the pods of a manifest; this entry point does not see what surrounds them. */
function judgePods(
  { expect, request }: ConformanceCase,
  { pods }: OutcomeOf<"pods">,
  compare: Compare,
): readonly string[] {
  const expected = podsOf(expect.documents ?? []).map(({ pod }) => pod);
  const inputs = podsOf(readDocuments(request.manifest ?? "")).map(({ pod }) => pod);
  return judgeEach("pod", expected, pods, inputs, compare);
}

function judgeDocuments(
  { expect, request }: ConformanceCase,
  { documents, warnings }: OutcomeOf<"documents">,
  compare: Compare,
): readonly string[] {
  const inputs = readDocuments(request.manifest ?? "");
  const found = judgeEach("document", expect.documents ?? [], documents, inputs, compare);
  return [...found, ...judgeWarnings(expect, warnings)];
}

function judgeEach(
  what: string,
  expected: readonly JsonObject[],
  actual: readonly JsonObject[],
  inputs: readonly JsonObject[],
  compare: Compare,
): readonly string[] {
  if (actual.length !== expected.length) return [`${expected.length} ${what}s expected, ${actual.length} found`];
  return actual.flatMap((object, index) =>
    compare(expected[index], object, inputs[index]).map((line) => `${what} ${index + 1}: ${line}`),
  );
}

function judgeWarnings({ warnings: expected = [] }: CaseExpectation, actual: readonly string[]): readonly string[] {
  const lines = expected.map((warning) => warning.trim());
  if (lines.length === actual.length && lines.every((line, index) => line === actual[index])) return [];
  return [`warnings ${JSON.stringify(lines)} expected, ${JSON.stringify(actual)} found`];
}

type OutcomeOf<K extends CaseOutcome["kind"]> = Extract<CaseOutcome, { kind: K }>;

function describe(outcome: CaseOutcome): string {
  if (outcome.kind === "denied") return `denied: ${outcome.message}`;
  if (outcome.kind === "failed") return `failed: ${outcome.message}`;
  return outcome.kind === "pod" && !outcome.patched ? "no patch" : "an injected pod";
}
