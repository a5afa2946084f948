import type { JsonObject } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { resizeProgress } from "./resize-progress.ts";

const cpu = (amount: string) => ({ requests: { cpu: amount } });
const podWith = (spec: string, status: JsonObject, generation = 3): JsonObject =>
  ({
    metadata: { generation },
    spec: { containers: [{ name: "agent", resources: cpu(spec) }] },
    status: { containerStatuses: [{ name: "agent", resources: cpu("1") }], ...status },
  }) as JsonObject;
const condition = (type: string, reason: string, message: string) => ({
  conditions: [{ type, reason, message, status: "True" }],
});

describe("resizeProgress()", () => {
  it.each<[string, JsonObject, unknown]>([
    ["nobody has asked for it", podWith("1", {}), "unwritten"],
    ["its node has not seen it", podWith("2", {}), "moving"],
    ["its node is about it", podWith("2", condition("PodResizeInProgress", "", "")), "moving"],
    ["its node has too little now", podWith("2", condition("PodResizePending", "Deferred", "")), "moving"],
    [
      "its node will never have enough",
      podWith("2", condition("PodResizePending", "Infeasible", "too much cpu")),
      { why: "its node cannot give it the resources: too much cpu" },
    ],
    [
      "its container has them",
      podWith("2", { containerStatuses: [{ name: "agent", resources: cpu("2000m") }] }),
      "done",
    ],
    ["its node has seen this version, and rounds", podWith("2", { observedGeneration: 3 }), "done"],
    ["its node has seen an earlier version", podWith("2", { observedGeneration: 2 }), "moving"],
  ])("where %s", (_what, pod, expected) => {
    const resources = [{ list: "containers", name: "agent", amounts: cpu("2") }] as const;
    expect(resizeProgress(pod, resources)).toEqual(expected);
  });
});
