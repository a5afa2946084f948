import { describe, expect, it } from "vitest";
import { findWorkload, isList } from "./workloads.ts";

const TEMPLATED = { metadata: ["spec", "template", "metadata"], spec: ["spec", "template", "spec"] };

describe("findWorkload()", () => {
  it.each([
    ["v1", "ReplicationController"],
    ["apps/v1", "Deployment"],
    ["extensions/v1beta1", "Deployment"],
    ["apps/v1", "ReplicaSet"],
    ["extensions/v1beta1", "ReplicaSet"],
    ["apps/v1", "StatefulSet"],
    ["apps/v1", "DaemonSet"],
    ["extensions/v1beta1", "DaemonSet"],
    ["batch/v1", "Job"],
    ["v1", "DeploymentConfig"],
    ["apps.openshift.io/v1", "DeploymentConfig"],
  ])("knows the template of a %s %s", (apiVersion, kind) => {
    expect(findWorkload({ apiVersion, kind })).toMatchObject({
      ...TEMPLATED,
      printed: { metadata: {}, status: expect.any(Object) },
    });
  });

  it("knows where a Pod and a CronJob have theirs", () => {
    expect(findWorkload({ apiVersion: "v1", kind: "Pod" })).toMatchObject({ metadata: ["metadata"], spec: ["spec"] });
    expect(findWorkload({ kind: "Pod" })).toMatchObject({ metadata: ["metadata"] });
    expect(findWorkload({ apiVersion: "batch/v1", kind: "CronJob" })).toMatchObject({
      metadata: ["spec", "jobTemplate", "metadata"],
      spec: ["spec", "jobTemplate", "spec", "template", "spec"],
    });
  });

  it.each([
    ["batch.volcano.sh/v1alpha1", "Job"],
    ["extensions/v1beta1", "StatefulSet"],
    ["apps/v1", "Pod"],
    ["v1", "Service"],
    ["v1", "toString"],
    ["v1", 5],
  ])("knows no %s %s", (apiVersion, kind) => {
    expect(findWorkload({ apiVersion, kind })).toBeUndefined();
  });
});

describe("isList()", () => {
  it("is true for a v1 List only", () => {
    expect(isList({ apiVersion: "v1", kind: "List" })).toBe(true);
    expect(isList({ apiVersion: "a/v1", kind: "List" })).toBe(false);
    expect(isList({ apiVersion: "v1", kind: "Pod" })).toBe(false);
  });
});
