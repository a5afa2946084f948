// The Helm chart's files against what they are made of. The chart is rendered by Helm in `npm run test:admission`.
import { readFileSync, writeFileSync } from "node:fs";
import { channelNamePattern, isObject, networkPattern } from "@outrigger/base";
import { systemNamespaces } from "@outrigger/injector";
import { buildRbac, rbacFeatures, rolloutPhases } from "@outrigger/webhook";
import { parseYaml } from "@outrigger/yaml";
import { describe, expect, it } from "vitest";
import { chartFile } from "../../scripts/generate/chart.ts";

const OBJECTS = "infra/chart/files/objects.json";
const schema = JSON.parse(readFileSync("infra/chart/values.schema.json", "utf8"));
const values = parseYaml(readFileSync("infra/chart/values.yaml", "utf8"), "values.yaml");

describe("infra/chart", () => {
  it("has the builders' objects (UPDATE_GOLDEN=1 writes them)", () => {
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(OBJECTS, chartFile());
    expect(readFileSync(OBJECTS, "utf8")).toBe(chartFile());
  });

  it("lets the restart's service account do what its command needs, and create pods as dry runs only", () => {
    const { restart, dryRuns } = JSON.parse(readFileSync(OBJECTS, "utf8"));
    const place = { revisions: [], tags: [], probeNamespaces: [], istioNamespace: "istio-system" };
    const objects = buildRbac({ ...place, features: ["restart"], group: "g", name: "n" });
    const rules = objects.filter((object) => "rules" in object).map((object) => object["rules"]);
    expect(Object.values(restart)).toEqual(rules);
    expect(rules.flat().length).toBeGreaterThan(10);
    expect(dryRuns.expression).toBe("has(request.dryRun) && request.dryRun");
    const template = readFileSync("infra/chart/templates/restart.yaml", "utf8");
    for (const part of Object.keys(dryRuns)) expect(template).toContain(`$objects.dryRuns.${part}`);
  });

  it("has a schema with the names, phases and patterns of the code", () => {
    const { properties, definitions } = schema;
    expect(properties.phase.enum).toEqual([...rolloutPhases]);
    expect(properties.rbac.properties.for.items.enum).toEqual([...rbacFeatures]);
    expect(definitions.name.pattern).toBe(channelNamePattern.source);
    expect(properties.network.pattern).toBe(networkPattern.source.replaceAll("(?:", "("));
    expect(definitions.namespace.allOf[1].not.enum).toEqual([...systemNamespaces]);
  });

  it("has a default for every value of the schema, and the README a line", () => {
    const readme = readFileSync("infra/chart/README.md", "utf8");
    const keys = Object.keys(schema.properties).filter((key) => key !== "global");
    expect(isObject(values) ? Object.keys(values) : []).toEqual(expect.arrayContaining(keys));
    const groups = ["rbac", "restart"];
    for (const key of keys) if (!groups.includes(key)) expect(readme).toContain(`| \`${key}\` |`);
    for (const group of groups) {
      const inside = Object.keys(schema.properties[group].properties);
      for (const key of inside) expect(readme).toContain(`| \`${group}.${key}\` |`);
    }
  });
});
