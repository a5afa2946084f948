import { describe, expect, it } from "vitest";
import { type ReadMetric, readMetrics } from "../../../test/support/read-metrics.ts";
import type { AdmissionMetricsOptions } from "./admission-metrics.ts";
import type { AdmissionRecord, Decision } from "./admission-record.ts";
import { logAdmission } from "./log.ts";

const RECORD: AdmissionRecord = {
  uid: "u",
  cluster: "east",
  tokenSlot: 1,
  namespace: "shop",
  name: "web",
  decision: "injected",
  status: 200,
  release: "0123456789ab",
  templates: ["sidecar"],
  milliseconds: 1.23456,
  served: "current",
};

function metricsOf(record: AdmissionRecord, options: Partial<AdmissionMetricsOptions> = {}): readonly ReadMetric[] {
  const lines: string[] = [];
  logAdmission(record, {
    write: (line) => lines.push(line),
    metrics: { stage: "dev", now: () => 1_800_000_000_000, ...options },
  });
  return readMetrics(lines[0] as string);
}

function metricTexts(record: AdmissionRecord, options?: Partial<AdmissionMetricsOptions>): readonly string[] {
  return metricsOf(record, options).map(({ name, value, dimensions }) => {
    const { Stage, ...others } = dimensions;
    expect(Stage).toBe("dev");
    return `${name}=${value}${Object.values(others)
      .map((text) => ` ${text}`)
      .join("")}`;
  });
}

const withoutToken: AdmissionRecord = (({ tokenSlot: _, ...record }) => record)(RECORD);

describe("admissionMetricsText()", () => {
  it("counts a call by stage, reason, cluster, token and release when a pod is injected", () => {
    expect(metricTexts(RECORD)).toEqual([
      "Latency=1.235",
      "Injected=1",
      "Decisions=1 injected",
      "Calls=1 east",
      "TokenCalls=1 east 1",
      "Served=1 east 0123456789ab",
      "Injected=1 0123456789ab",
    ]);
  });

  it("names milliseconds, and no unit of counts, when it defines metrics", () => {
    const units = metricsOf(RECORD).filter(({ unit }) => unit !== undefined);
    expect(units.map(({ name, unit }) => `${name} ${unit}`)).toEqual(["Latency Milliseconds"]);
  });

  it("adds latency by cluster when that is asked for", () => {
    expect(metricTexts(RECORD, { clusterLatency: true })).toContain("Latency=1.235 east");
  });

  it.each<[Decision, string]>([
    ["injected", "Injected=1"],
    ["skipped", "Skipped=1"],
    ["denied", "Denied=1"],
    ["refused", "Refused=1"],
    ["failed", "Failed=1"],
  ])("counts one decision and no other when a pod is %s", (decision, counted) => {
    const decisions = metricTexts({ ...RECORD, decision }).filter((text) => /^(Inj|Skip|Den|Ref|Fail)\w+=/.test(text));
    const isOfRelease = decision !== "skipped" && decision !== "refused";
    expect(decisions).toEqual([counted, ...(isOfRelease ? [`${counted} 0123456789ab`] : [])]);
  });

  it.each<[Partial<AdmissionRecord>, readonly string[]]>([
    [{}, []],
    [{ cold: true }, ["ColdStart=1"]],
    [{ cold: false, late: false }, []],
    [{ late: true }, ["Late=1", "Late=1 0123456789ab"]],
    [{ served: "stale" }, ["ServingStale=1"]],
    [{ served: "bundled" }, ["ServingBundled=1"]],
    [{ storeError: "store-unavailable" }, ["StoreErrors=1"]],
    [{ storeError: "store-denied" }, ["StoreErrors=1"]],
    [{ storeError: "store-corrupt" }, ["StoreErrors=1", "ImageInvalid=1"]],
    [{ storeError: "cluster-invalid" }, ["StoreErrors=1", "ImageInvalid=1"]],
    [{ storeError: "release-unsupported" }, ["StoreErrors=1", "ReleaseUnsupported=1"]],
  ])("counts what is out of the ordinary when a call has %o", (what, counted) => {
    const ordinary = metricTexts(RECORD);
    expect(metricTexts({ ...RECORD, ...what }).filter((text) => !ordinary.includes(text))).toEqual(counted);
  });

  it("keeps those who do not belong here out of clusters and latency when a token is unknown", () => {
    const record = { ...withoutToken, decision: "refused", reason: "token-unknown", cluster: "east" } as const;
    expect(metricTexts(record)).toEqual(["Refused=1", "Decisions=1 token-unknown"]);
  });

  it("makes no dimension of a cluster's name when it comes from the URL", () => {
    expect(metricTexts(withoutToken)).toEqual(["Latency=1.235", "Injected=1", "Decisions=1 injected"]);
  });

  it("says nothing of a release when none was asked", () => {
    expect(metricTexts({ ...RECORD, release: "" }).join()).not.toContain("Served");
    expect(metricTexts({ ...RECORD, decision: "refused", reason: "review-invalid" }).join()).not.toContain("Served");
  });
});
