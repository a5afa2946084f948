// Writes the list into docs/releases.md, and tries each rule at its bounds.
import type { JsonValue } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { expectRows } from "../../../test/support/page-rows.ts";
import { EVERYDAY_INPUTS, EVERYDAY_WRITES, isEverydayInput, isEverydayWrite } from "./everyday.ts";

describe("the everyday changes", () => {
  it("are the list of docs/releases.md", () => {
    const rows = Object.entries({ ...EVERYDAY_INPUTS, ...EVERYDAY_WRITES }).map(([path, { doc }]) => [
      `\`${path}\``,
      doc,
    ]);
    expectRows({ page: "docs/releases.md", name: "everyday", headings: ["what", "may become"], rows });
  });
});

describe("isEverydayWrite()", () => {
  it.each<readonly [path: string, after: JsonValue | undefined, before: JsonValue | undefined, expected: boolean]>([
    ["spec.containers[a].image", "h/a:2", "h/a:1", true],
    ["spec.initContainers[a].image", `h/a@sha256:${"0".repeat(64)}`, "h/a:1", true],
    ["images.proxy", "r:5000/a/b:2", "r:5000/a/b:1", true],
    ["images.proxy", "h/proxyv2:", "h/proxyv2:1", false],
    ["images.proxy", "h/proxyv2", "h/proxyv2:1", false],
    ["spec.containers[a].image", "h/b:1", "h/a:1", false],
    ["spec.containers[a].image", "evil/a:1", "h/a:1", false],
    ["spec.containers[a].image", "h/a:1 x", "h/a:1", false],
    ["spec.containers[a].image", undefined, "h/a:1", false],
    ["spec.containers[a].image", "h/a:1", undefined, false],
    ["spec.containers[a].resources.limits.memory", "8Gi", "1Gi", true],
    ["spec.containers[a].resources.limits.memory", "8.1Gi", "1Gi", false],
    ["spec.containers[a].resources.limits.memory", "63Mi", "1Gi", false],
    ["spec.containers[a].resources.limits.memory", "x", "1Gi", false],
    ["spec.containers[a].resources.requests.cpu", 2, "1", true],
    ["spec.containers[a].resources.requests.cpu", 2.001, "1", false],
    ["spec.resources.limits.memory", "1Gi", "2Gi", false],
    ["spec.containers[a].readinessProbe.periodSeconds", 600, 1, true],
    ["spec.containers[a].readinessProbe.periodSeconds", 0, 1, false],
    ["spec.containers[a].readinessProbe.periodSeconds", 601, 1, false],
    ["spec.containers[a].readinessProbe.terminationGracePeriodSeconds", 1, 2, false],
    ["spec.containers[a].env[DD_LOG_LEVEL].value", "debug", "info", true],
    ["spec.containers[a].env[DD_LOG_LEVEL].value", "$(SECRET)", "info", false],
    ["spec.containers[a].env[LD_PRELOAD].value", "debug", "info", false],
    ["metadata.labels.team", "shop", "web", true],
    ["metadata.labels.app", "shop", "web", false],
    ["metadata.labels[example.com/team]", "shop", "web", false],
    ["metadata.annotations.note", "a b", "a", true],
    ["metadata.annotations.note", '{"a"}', "a", false],
    ["metadata.annotations[vault.hashicorp.com/role]", "a", "b", false],
    ["metadata.name", "a", "b", false],
    ["spec.containers[a].command", "a", "b", false],
    ["spec.hostNetwork", true, false, false],
  ])("%s: %j after %j is %s", (path, after, before, expected) => {
    expect(isEverydayWrite(path, after, before)).toBe(expected);
  });
});

describe("isEverydayInput()", () => {
  it.each<readonly [path: string, after: JsonValue | undefined, expected: boolean]>([
    ["values.global.tag", "1.31.2", true],
    ["values.global.tag", 1.31, true],
    ["values.global.tag", "", false],
    ["values.global.tag", "a b", false],
    ["values.global.tag", undefined, false],
    ["values.global.hub", "h", false],
    ["values.global.proxy.logLevel", "debug", true],
    ["values.global.proxy.logLevel", "loud", false],
    ["values.global.proxy.componentLogLevel", "rbac:debug,jwt:off", true],
    ["values.global.proxy.componentLogLevel", "rbac", false],
    ["values.global.imagePullPolicy", "Never", false],
    ["mesh.defaultConfig.drainDuration", "60m", true],
    ["mesh.defaultConfig.drainDuration", "3601s", false],
    ["mesh.defaultConfig.drainDuration", "1h", false],
    ["mesh.defaultConfig.tracing.sampling", 100, true],
    ["mesh.defaultConfig.tracing.sampling", 101, false],
    ["mesh.defaultConfig.discoveryAddress", "a:15012", false],
    ["mesh.defaultConfig.proxyMetadata.ISTIO_BOOTSTRAP", "a", false],
  ])("%s: %j is %s", (path, after, expected) => {
    expect(isEverydayInput(path, after, null)).toBe(expected);
  });
});
