import { describe, expect, it } from "vitest";
import type { CaseExpectation, ConformanceCase } from "./conformance-case.ts";
import type { CaseOutcome } from "./entry-points.ts";
import { judgeCase } from "./judge-case.ts";

const compare = (a: unknown, b: unknown) => (JSON.stringify(a) === JSON.stringify(b) ? [] : ["differs"]);
const pod = { kind: "Pod", metadata: { name: "a" }, spec: { containers: [] } };
const other = { kind: "Pod", metadata: { name: "b" }, spec: { containers: [] } };
const manifest = "kind: Pod\nmetadata: {name: a}\nspec: {containers: []}\n";

describe("judgeCase()", () => {
  it.each<readonly [string, CaseExpectation, CaseOutcome]>([
    ["the expected pod", { allowed: true, injected: true, pod }, { kind: "pod", pod, patched: true }],
    ["no patch where none is expected", { allowed: true, injected: false }, { kind: "pod", pod, patched: false }],
    ["a denial where one is expected", { allowed: false, error: "no" }, { kind: "denied", message: "other words" }],
    ["the expected pods of a manifest", { documents: [pod] }, { kind: "pods", pods: [pod] }],
    ["the expected documents", { documents: [pod] }, { kind: "documents", documents: [pod], warnings: [] }],
    [
      "the expected warnings",
      { documents: [], warnings: ["===> one\n"] },
      { kind: "documents", documents: [], warnings: ["===> one"] },
    ],
  ])("accepts %s", (_title, expectation, outcome) => {
    expect(judge(expectation, outcome)).toEqual([]);
  });

  it.each<readonly [string, CaseExpectation, CaseOutcome]>([
    ["another pod", { allowed: true, injected: true, pod }, { kind: "pod", pod: other, patched: true }],
    ["a patch where none is expected", { allowed: true, injected: false }, { kind: "pod", pod, patched: true }],
    ["a pod where a denial is expected", { allowed: false, error: "no" }, { kind: "pod", pod, patched: true }],
    ["a failure where a denial is expected", { allowed: false, error: "no" }, { kind: "failed", message: "bug" }],
    ["a denial where a pod is expected", { allowed: true, injected: true, pod }, { kind: "denied", message: "no" }],
    ["a failure where no patch is expected", { allowed: true, injected: false }, { kind: "failed", message: "bug" }],
    ["another pod of a manifest", { documents: [pod] }, { kind: "pods", pods: [other] }],
    ["a pod too few", { documents: [pod] }, { kind: "pods", pods: [] }],
    ["a document too many", { documents: [pod] }, { kind: "documents", documents: [pod, pod], warnings: [] }],
    ["a warning too many", { documents: [pod] }, { kind: "documents", documents: [pod], warnings: ["one"] }],
    ["a warning too few", { documents: [], warnings: ["one"] }, { kind: "documents", documents: [], warnings: [] }],
  ])("finds %s", (_title, expectation, outcome) => {
    expect(judge(expectation, outcome)).toHaveLength(1);
  });
});

function judge(expectation: CaseExpectation, outcome: CaseOutcome): readonly string[] {
  const base = { name: "a", door: "webhook", config: {}, values: {}, environment: {} } as const;
  const conformanceCase: ConformanceCase = { ...base, request: { object: pod, manifest }, expect: expectation };
  return judgeCase(conformanceCase, outcome, compare);
}
