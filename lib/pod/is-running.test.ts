import { describe, expect, it } from "vitest";
import { isRunning } from "./is-running.ts";

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
