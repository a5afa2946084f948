import { entryOf } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { readMeshConfig } from "./mesh-config.ts";
import { meshFields } from "./mesh-fields.ts";
import { podRules, valueRules } from "./value-rules.ts";

const fieldAt = (path: string) => {
  const keys = path.split(".");
  return entryOf(meshFields(), keys.slice(0, -1).join("."))?.find(({ name }) => name === keys.at(-1));
};

describe("meshFields()", () => {
  it.each([
    ["trustDomain", valueRules.domain.use],
    ["connectTimeout", valueRules.duration.use],
    ["defaultConfig.statusPort", podRules.port.use],
    ["defaultConfig.drainDuration", podRules.wholeSeconds.use],
    ["defaultConfig.tracing.zipkin.address", podRules.collector.use],
    ["defaultConfig.image.imageType", podRules.imageType.use],
    ["defaultConfig.concurrency", "a whole number"],
    ["defaultConfig.binaryPath", "text"],
    ["defaultConfig.tracing.sampling", "a number"],
    ["protocolDetectionTimeout", "a duration with its unit, like 45s or 1m30s"],
    ["defaultConfig.tracing", "a mapping"],
    ["defaultConfig.proxyMetadata", "a mapping"],
    ["trustDomainAliases", "a list"],
    ["enableTracing", "true or false"],
    ["enablePrometheusMerge", "true or false"],
    ["outboundTrafficPolicy.mode", "REGISTRY_ONLY, ALLOW_ANY or ALLOW_ANY_DYNAMIC_DNS"],
    ["extensionProviders.zipkin.port", "a whole number"],
    // `statusPort` is a ProxyConfig's alone.
    ["defaultConfig.envoyAccessLogService.tcpKeepalive.probes", "a whole number"],
  ])("says of %s what it takes", (path, use) => {
    expect(fieldAt(path)?.use).toBe(use);
  });

  it("has the values of a field that has no others, and a mesh takes each of them", () => {
    expect(fieldAt("defaultConfig.interceptionMode")?.choices).toEqual(podRules.interceptionMode.choices);
    expect(fieldAt("enableTracing")?.choices).toEqual([true, false]);
    expect(fieldAt("trustDomain")?.choices).toBeUndefined();
    for (const { name, choices = [] } of meshFields()[""] ?? [])
      for (const choice of choices) readMeshConfig([`${name}: ${JSON.stringify(choice)}`], "mesh");
    for (const { name, choices = [] } of meshFields()["defaultConfig"] ?? [])
      for (const choice of choices) readMeshConfig([`defaultConfig: {${name}: ${JSON.stringify(choice)}}`], "mesh");
  });

  it.each(["trustDomain", "nonsense", "defaultConfig.proxyMetadata", "constructor", "__proto__"])(
    "has none below %s",
    (path) => {
      expect(entryOf(meshFields(), path)).toBeUndefined();
    },
  );

  it("has those of the values of a map", () => {
    expect(meshFields()["defaultConfig.tracing.customTags.*"]?.map(({ name }) => name)).toContain("literal");
  });
});
