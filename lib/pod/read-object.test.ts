import { describe, expect, it } from "vitest";
import { isRunning, metadataOf } from "./read-object.ts";

const NOTHING = {
  name: "",
  generateName: "",
  namespace: "",
  uid: "",
  resourceVersion: "",
  generation: 0,
  creationTimestamp: "",
  deletionTimestamp: "",
  labels: {},
  annotations: {},
  finalizers: [],
  ownerReferences: [],
  managedFields: [],
};

describe("metadataOf()", () => {
  it("has what is there", () => {
    const metadata = {
      name: "web-1",
      generateName: "web-",
      namespace: "shop",
      uid: "u",
      resourceVersion: "7",
      generation: 3,
      creationTimestamp: "2026-01-01T00:00:00Z",
      deletionTimestamp: "2026-01-02T00:00:00Z",
      labels: { app: "web" },
      annotations: { note: "" },
      finalizers: ["a/b"],
      ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "r", controller: true }],
      managedFields: [{ manager: "kubectl" }],
    };
    const read = metadataOf({ kind: "Pod", metadata });
    expect(read).toEqual(metadata);
    expect(read.labels).toBe(metadata.labels);
  });

  it.each([undefined, null, "web", [], {}, { metadata: null }, { metadata: [] }])("is empty for %j", (object) => {
    expect(metadataOf(object)).toEqual(NOTHING);
  });

  it("reads what has another type as absent", () => {
    const wrong = Object.fromEntries(Object.keys(NOTHING).map((field) => [field, true]));
    expect(metadataOf({ metadata: wrong })).toEqual(NOTHING);
    const mixed = {
      labels: { app: "web", tier: 1 },
      annotations: [],
      finalizers: ["a", 1],
      ownerReferences: [null, {}],
    };
    expect(metadataOf({ metadata: mixed })).toEqual({
      ...NOTHING,
      labels: { app: "web" },
      finalizers: ["a"],
      ownerReferences: [{ apiVersion: "", kind: "", name: "", uid: "", controller: false }],
    });
  });
});

describe("isRunning()", () => {
  it.each([
    ["runs", { status: { phase: "Running" } }, true],
    ["waits for a node", { status: { phase: "Pending" } }, true],
    ["has no status yet", {}, true],
    ["has ended", { status: { phase: "Succeeded" } }, false],
    ["has failed", { status: { phase: "Failed" } }, false],
    ["is being deleted", { metadata: { deletionTimestamp: "2026-11-23T00:00:00Z" } }, false],
    ["mirrors one of its node's own", { metadata: { annotations: { "kubernetes.io/config.mirror": "1" } } }, false],
  ])("of a pod that %s", (_what, pod, expected) => {
    expect(isRunning(pod)).toBe(expected);
  });
});
