import { parseYaml } from "@outrigger/yaml";
import { describe, expect, it } from "vitest";
import type { TreeFinding } from "../tree-finding.ts";
import { parseConfig, publishChannel, readConfig } from "./parse-config.ts";

describe("parseConfig()", () => {
  it.each([[[]], [[""]], [["# nothing\n"]], [["policy:\naliases:\nrevision: null\n"]]])(
    "gives the defaults when %j says nothing",
    (texts) => {
      expect(parseConfig(texts)).toEqual({
        injection: {
          policy: "enabled",
          defaultTemplates: ["sidecar"],
          aliases: {},
          neverInjectSelector: [],
          alwaysInjectSelector: [],
          injectedAnnotations: {},
          revision: "default",
          istio: "development",
          nativeSidecars: true,
          compliancePolicy: "",
          platform: "",
        },
        ordered: ["sidecar"],
        publishTo: undefined,
        defaults: "shipped",
      });
    },
  );

  it("takes a later text's keys whole", () => {
    const { injection, publishTo } = parseConfig([
      "policy: disabled\naliases: {a: [b]}\nrevision: one",
      "aliases: {c: [d, e]}\nrevision: two\npublishTo: canary\nneverInjectSelector: [{matchLabels: {app: web}}]",
    ]);
    expect(injection).toMatchObject({ policy: "disabled", aliases: { c: ["d", "e"] }, revision: "two" });
    expect(injection.neverInjectSelector).toEqual([
      { requirements: [{ key: "app", operator: "In", values: ["web"] }] },
    ]);
    expect(publishTo).toBe("canary");
  });

  it("names the place of a key that is not known, not that of its value", () => {
    expect(() => parseConfig(["policy: enabled\npolciy: enabled\n"])).toThrow(
      expect.objectContaining({ line: 2, column: 1 }),
    );
  });

  it("takes names of prototypes for names", () => {
    const { injection } = parseConfig([
      '{"aliases": {"__proto__": ["a"]}, "injectedAnnotations": {"constructor": "b"}}',
    ]);
    expect(Object.entries(injection.aliases)).toEqual([["__proto__", ["a"]]]);
    expect(Object.entries(injection.injectedAnnotations)).toEqual([["constructor", "b"]]);
  });

  it.each([
    ["- a", "config", "the config: it must be a mapping"],
    ["polciy: enabled", "config.polciy", 'config key "polciy": it is not known; use policy, '],
    ["__proto__: {}", "config.__proto__", 'config key "__proto__": it is not known; use policy, '],
    ["defaultTemplates: sidecar", "config.defaultTemplates", 'config key "defaultTemplates": it must be a list'],
    [
      "defaultTemplates: [1]",
      "config.defaultTemplates[0]",
      '"defaultTemplates[0]": it must be the name of a template (put numbers in quotes), or have name and match',
    ],
    ["aliases: [a]", "config.aliases", 'config key "aliases": it must be a mapping'],
    ["aliases: {a: b}", "config.aliases.a", 'config key "aliases.a": it must be a list of strings'],
    ["aliases: {a: [{}]}", "config.aliases.a[0]", 'config key "aliases.a[0]": it must be a string'],
    [
      "neverInjectSelector: {}",
      "config.neverInjectSelector",
      '"neverInjectSelector": it must be a list of label selectors',
    ],
    [
      "alwaysInjectSelector: a",
      "config.alwaysInjectSelector",
      '"alwaysInjectSelector": it must be a list of label selectors',
    ],
    ["injectedAnnotations: {a: 1}", "config.injectedAnnotations.a", '"injectedAnnotations.a": it must be a string'],
    ["revision: 1", "config.revision", 'config key "revision": it must be a string'],
    ['nativeSidecars: "true"', "config.nativeSidecars", 'config key "nativeSidecars": it must be true or false'],
    ["compliancePolicy: [a]", "config.compliancePolicy", 'config key "compliancePolicy": it must be a string'],
    ["platform: OpenShift", "config.platform", 'config key "platform": it must be one of "", "openshift"'],
    ["publishTo: 3", "config.publishTo", 'config key "publishTo": it must be a string'],
    ["defaults: mine", "config.defaults", 'config key "defaults": it must be one of "shipped", "none"'],
  ])("refuses %j with the key, the place and the way out", (text, path, words) => {
    expect(() => parseConfig(["policy: enabled", text])).toThrow(
      expect.objectContaining({ code: "config-invalid", path, message: expect.stringContaining(`Cannot use `) }),
    );
    expect(() => parseConfig(["policy: enabled", text])).toThrow(words);
  });

  it("says line and column when a text is no YAML", () => {
    expect(() => parseConfig(["policy: enabled\naliases: ["])).toThrow(
      expect.objectContaining({ code: "yaml-invalid", path: "config", line: 2 }),
    );
  });

  it.each([
    [["policy: enabled\nrevision: 5\n", "policy: disabled\n"], 2],
    [["revision: 5\n", "\n\nrevision: 6\n"], 3],
    [["revision: 5\n", ""], 1],
    [["revision: 5\n", "# nothing\n", "policy: enabled\n"], 1],
  ])("names the line in the last text that sets the key: %j", (texts, line) => {
    expect(() => parseConfig(texts)).toThrow(expect.objectContaining({ path: "config.revision", line }));
  });

  it("warns where the reference passes over", () => {
    const text = "policy: perhaps\nneverInjectSelector: [{matchLabels: {a: b}}, {matchLabel: {c: d}}]";
    const findings: TreeFinding[] = [];
    const source = { path: "config", text, value: parseYaml(text, "config") };
    const { injection } = readConfig([source], [], findings).config;
    expect(injection.policy).toBe("unknown");
    expect(injection.neverInjectSelector).toHaveLength(1);
    expect(findings.map(({ message }) => message)).toEqual([
      'Config key "policy" is neither "enabled" nor "disabled": no pod is injected',
      expect.stringMatching(/config\.neverInjectSelector\[1\].*matchLabels.*it selects nothing$/),
    ]);
  });
});

describe("publishChannel()", () => {
  it("is the channel that the config of the last layer names, or none", () => {
    const layers = [{ config: "publishTo: canary" }, { "templates/a": "spec: {}" }];
    expect(publishChannel(layers)).toBe("canary");
    expect(publishChannel([...layers, { config: "publishTo: next" }])).toBe("next");
    expect(publishChannel([{}])).toBeUndefined();
  });
});
