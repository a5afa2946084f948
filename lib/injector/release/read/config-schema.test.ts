import { type Schema, Validator } from "@cfworker/json-schema";
import { parseYaml } from "@outrigger/yaml";
import { describe, expect, it } from "vitest";
import { schemaFaults } from "../values/check-schema.ts";
import { configSchema } from "./config-schema.ts";
import { parseConfig } from "./parse-config.ts";

const entry = (text: string) => `defaultTemplates: [other, ${text}]`;

describe("configSchema()", () => {
  const validator = new Validator(configSchema() as Schema, "2020-12", false);
  const isTaken = (text: string) => validator.validate(parseYaml(text, "config")).valid;
  const isParsed = (text: string) => {
    try {
      parseConfig([text]);
      return true;
    } catch {
      return false;
    }
  };

  it("is a schema", () => {
    expect(schemaFaults(configSchema())).toEqual([]);
  });

  it.each([
    "",
    "{}",
    'policy: disabled\nistio: "1.30"\nplatform: openshift\nnativeSidecars: false\ncompatibility: reference\n',
    "mesh: none\ninjectionLabel: sidecars.example.com/inject\nrevision: a\ncompliancePolicy: fips-140-3\n",
    "aliases: {a: [b, c]}\ninjectedAnnotations: {a: b}\npublishTo: canary\ndefaults: none\n",
    "aliases:\ninjectedAnnotations:\n",
    "neverInjectSelector:\n- matchLabels: {a: b}\nalwaysInjectSelector:\n- matchExpressions: [{key: a, operator: Exists}]\n",
    "defaultTemplates: []",
    entry("{name: a, before: other}"),
    entry('{name: a, match: {podLabels: {a: "yes", b: [c, d]}, namespaces: [shop]}, before: other}'),
  ])("takes what publishing takes: %j", (text) => {
    expect([isParsed(text), isTaken(text)]).toEqual([true, true]);
  });

  it.each([
    "[]",
    "polcy: enabled",
    "nativeSidecars: 1",
    "platform: aws",
    "compatibility: unsafe",
    "istio: 1.30",
    "mesh: linkerd",
    "defaults: some",
    "revision: 1",
    "aliases: {a: b}",
    "injectedAnnotations: {a: 1}",
    "neverInjectSelector: {a: b}",
    "defaultTemplates: sidecar",
    entry("7"),
    entry("{name: a}"),
    entry("{match: {namespaces: [shop]} }"),
    entry("{name: a, after: other}"),
    entry("{name: a, before: 7}"),
    entry("{name: a, match: {} }"),
    entry("{name: a, match: {podLabels: {} } }"),
    entry("{name: a, match: {podLabels: {a: yes} } }"),
    entry("{name: a, match: {podLabels: {a: []} } }"),
    entry("{name: a, match: {podLabels: {a: b c} } }"),
    entry("{name: a, match: {namespaces: []} }"),
    entry("{name: a, match: {namespaces: [Shop]} }"),
    entry("{name: a, match: {namespaces: [kube-system]} }"),
    entry("{name: a, match: {namespaceLabels: {a: b} } }"),
  ])("refuses what publishing refuses: %j", (text) => {
    expect([isParsed(text), isTaken(text)]).toEqual([false, false]);
  });
});
