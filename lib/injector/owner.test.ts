import type { ObjectMeta } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import { readTable } from "../../test/reference/read-reference.ts";
import { type Owner, ownerOf } from "./owner.ts";

function controlledBy(kind: string, name: string, labels: Readonly<Record<string, string>> = {}): ObjectMeta {
  const controller = { apiVersion: "apps/v1", kind, name, uid: "u", controller: true };
  return {
    generateName: "x-",
    namespace: "shop",
    labels,
    ownerReferences: [{ ...controller, controller: false }, controller],
  };
}

describe("ownerOf()", () => {
  it("is the pod itself when its name is its own", () => {
    const metadata = { ...controlledBy("StatefulSet", "s"), generateName: "", name: "p" };
    expect(ownerOf(metadata)).toEqual({ name: "p", namespace: "shop", kind: "Pod", apiVersion: "v1" });
    expect(ownerOf({})).toEqual({ name: "", namespace: "", kind: "Pod", apiVersion: "v1" });
  });

  it.each<[ObjectMeta, Partial<Owner>]>([
    [controlledBy("ReplicaSet", "web-5d4f", { "pod-template-hash": "5d4f" }), { name: "web", kind: "Deployment" }],
    [controlledBy("ReplicaSet", "web5d4f", { "pod-template-hash": "5d4f" }), { name: "web5d4f", kind: "Deployment" }],
    [
      controlledBy("ReplicaSet", "web-5d4f", { "pod-template-hash": "other" }),
      { name: "web-5d4f", kind: "ReplicaSet" },
    ],
    [
      controlledBy("ReplicaSet", "web-9", { "rollouts-pod-template-hash": "9" }),
      { name: "web", kind: "Rollout", apiVersion: "v1alpha1" },
    ],
    [
      controlledBy("ReplicationController", "web-1", { deploymentconfig: "web" }),
      { name: "web", kind: "DeploymentConfig" },
    ],
    [controlledBy("Job", "nightly-28000000"), { name: "nightly", kind: "CronJob", apiVersion: "batch/v1" }],
    [controlledBy("Job", "nightly-1234567"), { name: "nightly-1234567", kind: "Job", apiVersion: "apps/v1" }],
    [controlledBy("StatefulSet", "db"), { name: "db", kind: "StatefulSet", apiVersion: "apps/v1" }],
  ])("is the workload that controller and labels tell of when the pod is %j", (metadata, owner) => {
    expect(ownerOf(metadata)).toMatchObject(owner);
  });

  it("agrees with every measured row", () => {
    for (const { metadata, name, kind, apiVersion } of readTable<Owner & { readonly metadata: ObjectMeta }>("owners")) {
      expect({ metadata, ...ownerOf(metadata) }).toEqual({ metadata, name, kind, apiVersion, namespace: "" });
    }
  });
});
