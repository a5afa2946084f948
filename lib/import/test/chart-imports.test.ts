// Values and IstioOperators against the ConfigMaps that Istio makes of them: pods are injected the same with both.
import { createHash } from "node:crypto";
import { compileRelease, injectedText, loadRelease, type SourceTree, samplePods } from "@outrigger/injector";
import { formatYaml } from "@outrigger/yaml";
import { beforeAll, describe, expect, it } from "vitest";
import { type ChartImportCase, readChartImports } from "../../../test/import/read-chart-cases.ts";
import { shippedTree, shippedTreeUntried } from "../../../test/support/shipped-tree.ts";
import { importDocuments } from "../documents/import-documents.ts";

const cases = readChartImports();
/** Every third case; all of them with OUTRIGGER_PROPERTY_RUNS=300. */
const tried =
  process.env["OUTRIGGER_PROPERTY_RUNS"] === undefined ? cases.filter((_, index) => index % 3 === 0) : cases;
const digest = (text: string) => createHash("sha256").update(text).digest("hex");

/** The ConfigMaps, with the shipped images: those of a development build are Istio's own. */
function mapsOf({ config, values, mesh }: ChartImportCase): string {
  const { global, ...others } = JSON.parse(values);
  const { tag: _, hub, ...rest } = global;
  const images = { hub: /testing$/.test(String(hub)) ? "registry.istio.io/release" : hub };
  const map = (data: Readonly<Record<string, string>>) => formatYaml({ apiVersion: "v1", kind: "ConfigMap", data });
  return `${map({ config, values: JSON.stringify({ ...others, global: { ...rest, ...images } }) })}---\n${map({ mesh })}`;
}

describe("importDocuments() of values, against the ConfigMaps that Istio makes of them", () => {
  let shipped: SourceTree = {};
  let untried: SourceTree = {};
  beforeAll(async () => {
    shipped = await shippedTree();
    untried = await shippedTreeUntried();
  });

  const injected = (text: string): readonly string[] => {
    const { tree, findings } = importDocuments([{ file: "istio.yaml", text }], { digest });
    expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
    const injector = loadRelease(compileRelease([untried, tree]));
    return samplePods([shipped]).map(({ request }) => injectedText(injector, request));
  };

  it("has Helm values and IstioOperators, with profiles and platforms", () => {
    expect(cases.length).toBeGreaterThanOrEqual(100);
    const texts = cases.map(({ document }) => JSON.stringify(document));
    for (const part of ['"IstioOperator"', '"platform":"openshift"', '"profile":"ambient"', '"cni":{"enabled":true}']) {
      expect(texts.filter((text) => text.includes(part)).length).toBeGreaterThan(3);
    }
  });

  it.each(tried)("injects the same with $document", (each) => {
    expect(injected(formatYaml(each.document))).toEqual(injected(mapsOf(each)));
  });
});
