import { describe, expect, it } from "vitest";
import { defaultPullPolicy, isDefaulted } from "./defaults.ts";

describe("isDefaulted()", () => {
  it.each([
    [["spec", "terminationGracePeriodSeconds"], 30],
    [["spec", "dnsPolicy"], "ClusterFirst"],
    [["spec", "initContainers", 0, "terminationMessagePolicy"], "File"],
    [["spec", "containers", 2, "livenessProbe", "periodSeconds"], 10],
    [["spec", "containers", 2, "ports", 0, "protocol"], "TCP"],
  ])("is true for what an API server fills in: %j", (path, value) => {
    expect(isDefaulted(path, value)).toBe(true);
  });

  it.each([
    [["spec", "terminationGracePeriodSeconds"], 45],
    [["spec", "hostNetwork"], false],
    [["metadata", "labels", "restartPolicy"], "Always"],
    [["spec", "containers", 0, "restartPolicy"], "Always"],
    [[], "Always"],
  ])("is false for another value, and for a field without a default: %j", (path, value) => {
    expect(isDefaulted(path, value)).toBe(false);
  });
});

describe("defaultPullPolicy()", () => {
  it.each([
    ["app", "Always"],
    ["registry.example:5000/app", "Always"],
    ["app:latest", "Always"],
    ["app:1", "IfNotPresent"],
    ["app@sha256:00", "IfNotPresent"],
    ["App", "IfNotPresent"],
    ["<image>", "IfNotPresent"],
    [undefined, "IfNotPresent"],
  ])("for the image %s is %s", (image, policy) => {
    expect(defaultPullPolicy(image)).toBe(policy);
  });
});
