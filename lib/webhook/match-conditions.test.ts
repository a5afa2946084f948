import { describe, expect, it } from "vitest";
import { matchConditionsOf } from "./match-conditions.ts";

describe("matchConditionsOf()", () => {
  const always = [
    [
      "not-a-mirror-pod",
      '!(has(object.metadata) && has(object.metadata.annotations) && "kubernetes.io/config.mirror" in object.metadata.annotations)',
    ],
    [
      "not-opted-out",
      '!(has(object.metadata) && has(object.metadata.labels) && "sidecar.istio.io/inject" in object.metadata.labels && object.metadata.labels["sidecar.istio.io/inject"] == "false")',
    ],
    [
      "not-on-the-host-network",
      "!(has(object.spec) && has(object.spec.hostNetwork) && object.spec.hostNetwork == true)",
    ],
    [
      "not-on-windows",
      '!(has(object.spec) && (has(object.spec.os) && has(object.spec.os.name) ? object.spec.os.name == "windows" : (has(object.spec.nodeSelector) && "kubernetes.io/os" in object.spec.nodeSelector && object.spec.nodeSelector["kubernetes.io/os"] == "windows")))',
    ],
  ];

  it.each(["namespace", "cluster", "enforce"] as const)("in phase %s keeps back what is never injected", (phase) => {
    expect(matchConditionsOf(phase).map(({ name, expression }) => [name, expression])).toEqual(always);
  });

  it("in phase audit lets dry runs through only", () => {
    expect(matchConditionsOf("audit").map(({ name, expression }) => [name, expression])).toEqual([
      ...always,
      ["dry-run", "has(request.dryRun) && request.dryRun == true"],
    ]);
  });
});
