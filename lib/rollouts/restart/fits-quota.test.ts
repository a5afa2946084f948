import type { JsonObject } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { countsPods, fullQuota } from "./fits-quota.ts";

const specOf = (requests: JsonObject = {}, limits: JsonObject = {}): JsonObject => ({
  containers: [{ name: "app", resources: { requests, limits } }],
});
const quotaOf = (hard: JsonObject, used: JsonObject, spec: JsonObject = {}): JsonObject => ({
  metadata: { name: "team" },
  spec: { hard, ...spec },
  status: { hard, used },
});
const OLD = specOf({ cpu: "200m" }, { memory: "1Gi" });
const NEW = { spec: specOf({ cpu: "300m" }, { memory: "2Gi" }), isAdmitted: true, isAhead: false };

describe("fullQuota()", () => {
  it.each<[string, number, JsonObject, JsonObject, string | undefined]>([
    ["pods that give their places back", 3, { pods: "3" }, { pods: "3" }, undefined],
    ["a count of pods", 3, { "count/pods": "3" }, { "count/pods": "3" }, undefined],
    ["a quota that shrank below what runs", 1, { pods: "1" }, { pods: "2" }, "pods is 2 of 1"],
    ["room for the difference of one", 1, { "limits.memory": "3Gi" }, { "limits.memory": "2Gi" }, undefined],
    // A dry run of one pod says yes: 2 of 4 Gi, and one of 2 Gi. Two of them need 4, and give 2 back.
    ["room for one of two", 2, { "limits.memory": "3Gi" }, { "limits.memory": "2Gi" }, "limits.memory is 2Gi of 3Gi"],
    ["room for both", 2, { "limits.memory": "4Gi" }, { "limits.memory": "2Gi" }, undefined],
    ["requests without a prefix", 2, { cpu: "500m" }, { cpu: "400m" }, "cpu is 400m of 500m"],
    ["requests with it", 2, { "requests.cpu": "600m" }, { "requests.cpu": "400m" }, undefined],
    ["objects that are no pods", 2, { services: "1", "count/secrets": "0" }, { services: "2" }, undefined],
    ["a use that is not counted yet", 1, { pods: "3" }, {}, "its use of pods is not known"],
  ])("judges %s", (_what, count, hard, used, expected) => {
    const found = fullQuota(
      [quotaOf(hard, used)],
      Array.from({ length: count }, () => OLD),
      NEW,
    );
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(expected);
  });

  it("asks every quota, and names the one that is full", () => {
    const second = quotaOf({ pods: "0" }, { pods: "1" });
    expect(fullQuota([quotaOf({ cpu: "9" }, { cpu: "1" }), second], [OLD], NEW)).toBe(
      "the quota team has no place for its new pod: pods is 1 of 0",
    );
    expect(fullQuota([], [OLD], NEW)).toBeUndefined();
    expect(fullQuota([second], [], NEW)).toBeUndefined();
  });

  it("frees nothing of a quota whose scope the old pod was not in: a sidecar takes a pod out of BestEffort", () => {
    const scoped = (scope: string) => quotaOf({ pods: "1" }, { pods: "1" }, { scopes: [scope] });
    const bare = specOf();
    expect(fullQuota([scoped("NotBestEffort")], [bare], NEW)).toContain("pods is 1 of 1");
    expect(fullQuota([scoped("NotBestEffort")], [OLD], NEW)).toBeUndefined();
    expect(fullQuota([scoped("BestEffort")], [bare], NEW)).toBeUndefined();
    expect(fullQuota([scoped("Terminating")], [OLD], NEW)).toBeUndefined();
    expect(fullQuota([scoped("CrossNamespacePodAffinity")], [OLD], NEW)).toContain("pods is 1 of 1");
    const of = (operator: string, values: readonly string[]) =>
      quotaOf({ pods: "1" }, { pods: "2" }, {
        scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator, values }] },
      } as unknown as JsonObject);
    expect(fullQuota([of("In", ["high"])], [OLD], NEW)).toBeUndefined();
    expect(fullQuota([of("NotIn", ["high"])], [OLD], NEW)).toContain("pods is 2 of 1");
  });

  it("counts the old pod that is there until the last new one is ready", () => {
    const quota = quotaOf({ "limits.memory": "5Gi" }, { "limits.memory": "2Gi" });
    expect(fullQuota([quota], [OLD, OLD], NEW)).toBeUndefined();
    expect(fullQuota([quota], [OLD, OLD], { ...NEW, isAhead: true })).toBeUndefined();
    const smaller = quotaOf({ "limits.memory": "4Gi" }, { "limits.memory": "2Gi" });
    expect(fullQuota([smaller], [OLD, OLD], NEW)).toBeUndefined();
    expect(fullQuota([smaller], [OLD, OLD], { ...NEW, isAhead: true })).toContain("limits.memory is 2Gi of 4Gi");
  });

  it("does not guess what a LimitRange fills in", () => {
    const quota = quotaOf({ "requests.memory": "9Gi" }, { "requests.memory": "1Gi" });
    expect(fullQuota([quota], [OLD], { ...NEW, isAdmitted: false })).toContain("do not say how much requests.memory");
    expect(fullQuota([quota], [OLD], NEW)).toBeUndefined();
  });
});

describe("countsPods()", () => {
  it("is true of a quota on pods or on what they take", () => {
    expect(countsPods([quotaOf({ services: "1", "requests.storage": "1Gi" }, {})])).toBe(false);
    for (const resource of ["pods", "cpu", "limits.memory", "requests.nvidia.com/gpu"])
      expect(countsPods([quotaOf({ [resource]: "1" }, {})])).toBe(true);
  });
});
