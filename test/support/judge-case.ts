// Says how an outcome differs from what a case expects. The comparison itself is the corpus's own compare.mjs.
import type { CaseExpectation, ConformanceCase } from "./conformance-case.ts";
import { type CaseOutcome, readDocuments } from "./conformance-doors.ts";

/** `differences` of the corpus's compare.mjs. */
export type Compare = (expected: unknown, actual: unknown, input?: unknown) => readonly string[];

/** Empty where the outcome is what the case expects. */
export function judgeCase(conformanceCase: ConformanceCase, outcome: CaseOutcome, compare: Compare): readonly string[] {
  const { expect } = conformanceCase;
  if (expect.error !== undefined) {
    if (outcome.kind === "denied") return [];
    return [`denial expected (${expect.error.trim()}), ${describe(outcome)} found`];
  }
  if (outcome.kind === "denied" || outcome.kind === "failed") return [describe(outcome)];
  return outcome.kind === "pod"
    ? judgePod(conformanceCase, outcome, compare)
    : judgeDocuments(conformanceCase, outcome, compare);
}

function judgePod(
  { expect, request }: ConformanceCase,
  outcome: OutcomeOf<"pod">,
  compare: Compare,
): readonly string[] {
  if (expect.injected === false) return outcome.patched ? ["no patch expected, a patch found"] : [];
  return compare(expect.pod, outcome.pod, request.object);
}

function judgeDocuments(
  { expect, request }: ConformanceCase,
  { documents, warnings }: OutcomeOf<"documents">,
  compare: Compare,
): readonly string[] {
  const expected = expect.documents ?? [];
  const inputs = readDocuments(request.manifest ?? "");
  if (documents.length !== expected.length) {
    return [`${expected.length} documents expected, ${documents.length} found`];
  }
  const found = documents.flatMap((document, index) =>
    compare(expected[index], document, inputs[index]).map((line) => `document ${index + 1}: ${line}`),
  );
  return warnings === undefined ? found : [...found, ...judgeWarnings(expect, warnings)];
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
