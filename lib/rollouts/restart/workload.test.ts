import type { JsonObject } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import {
  deadlineOf,
  isMadeSince,
  nameOf,
  namesOfOwner,
  paceOf,
  partsOf,
  pathOfWorkload,
  progressMark,
  remedyOf,
  restartedAt,
  restartPatch,
  rolloutStatus,
  selectorOf,
  timeText,
  wantedPods,
  whyLeft,
} from "./workload.ts";

const AT = "2026-11-23T09:00:00Z";
const KEY = "kubectl.kubernetes.io/restartedAt";

/** A workload whose controller has seen its last change. */
const workload = (kind: string, spec: JsonObject = {}, status: JsonObject = {}, generation = 2): JsonObject => ({
  kind,
  metadata: { name: "web", generation, resourceVersion: "7" },
  spec,
  status: { observedGeneration: kind === "Rollout" ? "2" : 2, ...status },
});

describe("names of workloads", () => {
  it("are read and written", () => {
    expect(nameOf({ namespace: "shop", kind: "Deployment", name: "web" })).toBe("shop/Deployment/web");
    expect(partsOf("shop/Deployment/web")).toEqual({ namespace: "shop", kind: "Deployment", name: "web" });
    expect(partsOf("")).toEqual({ namespace: "", kind: "", name: "" });
  });

  it("are those that an owner may be of", () => {
    expect(namesOfOwner("shop", "StatefulSet/db")).toEqual(["shop/StatefulSet/db"]);
    expect(namesOfOwner("shop", "ReplicaSet/web-a-5d8f")).toEqual([
      "shop/ReplicaSet/web-a-5d8f",
      "shop/Deployment/web-a",
      "shop/Rollout/web-a",
    ]);
  });

  it.each([
    ["shop/Deployment/web", "/apis/apps/v1/namespaces/shop/deployments/web"],
    ["shop/StatefulSet/a b", "/apis/apps/v1/namespaces/shop/statefulsets/a%20b"],
    ["shop/DaemonSet/web", "/apis/apps/v1/namespaces/shop/daemonsets/web"],
    ["shop/Rollout/web", "/apis/argoproj.io/v1alpha1/namespaces/shop/rollouts/web"],
    ["shop/Job/web", undefined],
    ["shop/constructor/web", undefined],
  ])("lead to the path of %s", (name, path) => {
    expect(pathOfWorkload(name)).toBe(path);
  });
});

describe("selectorOf()", () => {
  it("is the equal labels, and nothing where there are none", () => {
    const matchExpressions = [{ key: "x", operator: "Exists" }];
    expect(
      selectorOf(workload("Deployment", { selector: { matchLabels: { app: "web", tier: "1" }, matchExpressions } })),
    ).toBe("app=web,tier=1");
    expect(selectorOf(workload("Deployment"))).toBe("");
  });
});

describe("a restart's time", () => {
  it("is written into the template of the version that was read, and into Argo's own field", () => {
    const annotations = { [KEY]: AT };
    expect(restartPatch(workload("Deployment"), AT)).toEqual({
      metadata: { resourceVersion: "7" },
      spec: { template: { metadata: { annotations } } },
    });
    expect(restartPatch(workload("Rollout"), AT)).toEqual({
      metadata: { resourceVersion: "7" },
      spec: { restartAt: AT },
    });
    expect(timeText(Date.parse(AT) + 999)).toBe(AT);
  });

  it("is read from where it was written", () => {
    const template = { metadata: { annotations: { [KEY]: AT } } };
    expect(restartedAt(workload("Deployment", { template, restartAt: "2020-01-01T00:00:00Z" }))).toBe(Date.parse(AT));
    expect(restartedAt(workload("Rollout", { template: {}, restartAt: AT }))).toBe(Date.parse(AT));
    expect(restartedAt(workload("Deployment"))).toBeNaN();
  });

  it.each([
    ["ReplicaSet", 0, -9, true],
    ["ReplicaSet", -1, 9, false],
    ["Rollout", -9, 0, true],
    ["Rollout", 9, -1, false],
  ])("says which pods of a %s are of it", (kind, annotated, created, expected) => {
    const seconds = (offset: number) => new Date(Date.parse(AT) + offset * 1000).toISOString();
    const labels = kind === "Rollout" ? { "rollouts-pod-template-hash": "5d8f" } : {};
    const ownerReferences = [{ controller: true, kind: "ReplicaSet", name: "web-5d8f" }];
    const annotations = { [KEY]: seconds(annotated) };
    const metadata = { name: "web-5d8f-1", labels, ownerReferences, annotations, creationTimestamp: seconds(created) };
    expect(isMadeSince({ metadata }, Date.parse(AT))).toBe(expected);
  });
});

describe("whyLeft()", () => {
  const HEALTHY = { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 };

  it.each<[string, JsonObject, JsonObject, boolean, string | undefined]>([
    ["Deployment", {}, HEALTHY, false, undefined],
    [
      "Deployment",
      { paused: true },
      HEALTHY,
      true,
      "it is paused: resume it first (kubectl rollout resume deployment/web)",
    ],
    [
      "DaemonSet",
      { updateStrategy: { type: "OnDelete" } },
      HEALTHY,
      true,
      "its update strategy is OnDelete: delete its pods yourself",
    ],
    [
      "StatefulSet",
      { updateStrategy: { rollingUpdate: { partition: 2 } } },
      HEALTHY,
      true,
      "its partition 2 keeps pods as they are",
    ],
    ["StatefulSet", { updateStrategy: { rollingUpdate: { partition: 0 } } }, HEALTHY, false, undefined],
    [
      "Deployment",
      {},
      { ...HEALTHY, availableReplicas: 0 },
      false,
      "it was not healthy before: 0 of 1 new pods are available",
    ],
    ["Deployment", {}, { ...HEALTHY, availableReplicas: 0 }, true, undefined],
    [
      "Deployment",
      { paused: false },
      { ...HEALTHY, replicas: 2 },
      false,
      "it was not healthy before: 1 old pods are still there",
    ],
  ])("of a %s with %j, %j (urgent: %s)", (kind, spec, status, isUrgent, expected) => {
    expect(whyLeft(workload(kind, spec, status), isUrgent)).toBe(expected);
  });
});

describe("remedyOf()", () => {
  it.each([
    ["Job", "its next run gets the new release"],
    ["CronJob", "its next run gets the new release"],
    [
      "SparkApplication.sparkoperator.k8s.io",
      "it is of another controller: restart it as that one's documentation says",
    ],
    ["Pod", "it has no controller: delete it and create it again"],
    ["ReplicaSet", "a ReplicaSet has no rollout: delete its pods, one at a time"],
  ])("of a %s", (kind, expected) => {
    expect(remedyOf(kind)).toBe(expected);
  });
});

describe("rolloutStatus()", () => {
  const progressing = (why: string) => ({ state: "progressing", why });
  const complete = { state: "complete", why: "" };
  const counts = (updated: number, all: number, available: number) => ({
    updatedReplicas: updated,
    replicas: all,
    availableReplicas: available,
  });

  it.each<[string, JsonObject, JsonObject, object]>([
    ["Job", {}, {}, { state: "failed", why: "a Job has no rollout" }],
    ["Deployment", { replicas: 3 }, counts(2, 3, 3), progressing("2 of 3 new pods have been made")],
    ["Deployment", { replicas: 3 }, counts(3, 5, 3), progressing("2 old pods are still there")],
    ["Deployment", { replicas: 3 }, counts(3, 3, 2), progressing("2 of 3 new pods are available")],
    ["Deployment", { replicas: 3 }, counts(3, 3, 3), complete],
    ["Deployment", { replicas: 0 }, counts(0, 0, 0), complete],
    ["Deployment", {}, {}, progressing("0 of 1 new pods have been made")],
    [
      "Deployment",
      {},
      { ...counts(1, 1, 1), conditions: [{ type: "Progressing", reason: "ProgressDeadlineExceeded" }] },
      { state: "failed", why: "it exceeded its progress deadline" },
    ],
    [
      "DaemonSet",
      {},
      { desiredNumberScheduled: 3, updatedNumberScheduled: 2, numberAvailable: 3 },
      progressing("2 of 3 pods have been updated"),
    ],
    [
      "DaemonSet",
      {},
      { desiredNumberScheduled: 3, updatedNumberScheduled: 3, numberAvailable: 2 },
      progressing("2 of 3 pods are available"),
    ],
    ["DaemonSet", {}, { desiredNumberScheduled: 3, updatedNumberScheduled: 3, numberAvailable: 3 }, complete],
    ["DaemonSet", {}, {}, complete],
    ["StatefulSet", { replicas: 2 }, { readyReplicas: 1 }, progressing("1 of 2 pods are ready")],
    [
      "StatefulSet",
      { replicas: 2 },
      { readyReplicas: 2, updatedReplicas: 1, currentRevision: "a", updateRevision: "b" },
      progressing("1 of 2 pods have been updated"),
    ],
    ["StatefulSet", { replicas: 2 }, { readyReplicas: 2, currentRevision: "b", updateRevision: "b" }, complete],
    [
      "StatefulSet",
      { replicas: 4, updateStrategy: { rollingUpdate: { partition: 1 } } },
      { readyReplicas: 4, updatedReplicas: 2, currentRevision: "a", updateRevision: "b" },
      progressing("2 of 3 pods have been updated"),
    ],
    [
      "StatefulSet",
      { replicas: 4, updateStrategy: { rollingUpdate: { partition: 1 } } },
      { readyReplicas: 4, updatedReplicas: 3, currentRevision: "a", updateRevision: "b" },
      complete,
    ],
    [
      "StatefulSet",
      { replicas: 2, minReadySeconds: 10 },
      { readyReplicas: 2, updatedReplicas: 2, availableReplicas: 1 },
      progressing("1 of 2 pods are available"),
    ],
    ["StatefulSet", { replicas: 2, minReadySeconds: 0 }, { readyReplicas: 2, availableReplicas: 1 }, complete],
    ["Rollout", { restartAt: AT }, { phase: "Healthy" }, progressing("its pods to be restarted")],
    [
      "Rollout",
      { restartAt: AT },
      { phase: "Healthy", restartedAt: "2026-11-23T08:59:59Z" },
      progressing("its pods to be restarted"),
    ],
    ["Rollout", { restartAt: AT }, { phase: "Healthy", restartedAt: AT }, complete],
    ["Rollout", {}, { phase: "Healthy" }, complete],
    ["Rollout", {}, { phase: "Progressing", message: "more replicas" }, progressing("more replicas")],
    ["Rollout", {}, { phase: "Paused" }, progressing("it is Paused")],
    ["Rollout", {}, { phase: "Degraded", message: "timed out" }, { state: "failed", why: "timed out" }],
    ["Rollout", {}, { phase: "Degraded", message: "" }, { state: "failed", why: "it is Degraded" }],
  ])("of a %s with %j and %j is %j", (kind, spec, status, expected) => {
    expect(rolloutStatus(workload(kind, spec, status))).toEqual(expected);
  });

  it("knows a change that its controller has not seen", () => {
    const unseen = { state: "progressing", why: "its change to be seen", isUnseen: true };
    expect(rolloutStatus(workload("Deployment", {}, counts(1, 1, 1), 3))).toEqual(unseen);
    expect(rolloutStatus(workload("Deployment", {}, { ...counts(1, 1, 1), observedGeneration: 0 }, 0))).toEqual(unseen);
    expect(rolloutStatus(workload("Rollout", {}, { phase: "Healthy" }, 3))).toEqual(unseen);
    // Older releases of Argo wrote a digest.
    expect(rolloutStatus(workload("Rollout", {}, { phase: "Healthy", observedGeneration: "5d8f9" }, 3))).toEqual(
      complete,
    );
  });
});

describe("paceOf()", () => {
  it.each<[string, JsonObject, JsonObject, number, number]>([
    ["Deployment", { replicas: 8 }, {}, 0, 2],
    ["Deployment", { replicas: 7 }, {}, 0, 1],
    ["Deployment", { replicas: 3 }, {}, 0, 1],
    ["Deployment", {}, {}, 8, 2],
    ["Deployment", { replicas: 10, strategy: { rollingUpdate: { maxUnavailable: "50%" } } }, {}, 0, 5],
    ["Deployment", { replicas: 10, strategy: { rollingUpdate: { maxUnavailable: 3 } } }, {}, 0, 3],
    ["Deployment", { replicas: 10, strategy: { rollingUpdate: { maxUnavailable: 0 } } }, {}, 0, 1],
    ["StatefulSet", { replicas: 8 }, {}, 0, 1],
    ["StatefulSet", { replicas: 8, updateStrategy: { rollingUpdate: { maxUnavailable: 2 } } }, {}, 0, 2],
    [
      "DaemonSet",
      { updateStrategy: { rollingUpdate: { maxUnavailable: "20%" } } },
      { desiredNumberScheduled: 10 },
      0,
      2,
    ],
    ["Rollout", { replicas: 8 }, {}, 0, 2],
    ["Rollout", { replicas: 8, strategy: { canary: { maxUnavailable: 4 } } }, {}, 0, 4],
  ])("of a %s with %j, %j and %i pods is %i", (kind, spec, status, pods, expected) => {
    expect(paceOf({ kind, spec, status }, pods)).toBe(expected);
  });
});

describe("wantedPods(), progressMark() and deadlineOf()", () => {
  it("take what the status says, then the spec, then the default", () => {
    expect(wantedPods({ spec: { replicas: 2 }, status: { desiredNumberScheduled: 3 } }, 1)).toBe(3);
    expect(wantedPods({ spec: { replicas: 0 } }, 1)).toBe(0);
    expect(wantedPods({}, 1)).toBe(1);
    expect(deadlineOf({ spec: { progressDeadlineSeconds: 30 } })).toBe(30);
    expect(deadlineOf({})).toBe(600);
  });

  it("see progress in counts alone", () => {
    const mark = (status: JsonObject) =>
      progressMark({ status: { readyReplicas: 1, phase: "Progressing", ...status } });
    expect(mark({ readyReplicas: 2 })).not.toBe(mark({}));
    expect(mark({ observedGeneration: 9, collisionCount: 4, phase: "Healthy", conditions: [] })).toBe(mark({}));
  });
});
