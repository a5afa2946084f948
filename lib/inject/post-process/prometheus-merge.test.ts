import { describe, expect, it } from "vitest";
import type { Pod } from "../../kube/pod-types.ts";
import type { Injection } from "../injector.ts";
import {
  isPrometheusMerged,
  mergePrometheus,
  restorePrometheusAnnotations,
  scrapeVariable,
} from "./prometheus-merge.ts";

const injection = {
  injector: { meshConfig: { enablePrometheusMerge: true, defaultConfig: { statusPort: 15020 } } },
} as unknown as Injection;

function podWith(annotations: Readonly<Record<string, string>>): Pod {
  return { metadata: { annotations }, spec: { containers: [{ name: "istio-proxy", env: [] }] } };
}

function told(pod: Pod): Readonly<Record<string, unknown>> {
  const text = pod.spec?.containers[0]?.env?.find(({ name }) => name === scrapeVariable)?.value;
  return text === undefined ? {} : JSON.parse(text);
}

const merged = {
  "prometheus.io/port": "15020",
  "prometheus.io/path": "/stats/prometheus",
  "prometheus.io/scrape": "true",
};

describe("mergePrometheus()", () => {
  it("points Prometheus at the agent even where the author says nothing", () => {
    const pod = mergePrometheus(podWith({}), injection);
    expect(pod.metadata?.annotations).toEqual(merged);
    expect(told(pod)).toEqual({});
  });

  it("takes every spelling that Prometheus takes, and tells the agent", () => {
    const pod = mergePrometheus(
      podWith({ "prometheus.io/port": "9090", "prometheus_io/path": "/m", "prometheus.io.scrape": "yes" }),
      injection,
    );
    expect(pod.metadata?.annotations).toEqual(merged);
    expect(told(pod)).toEqual({ scrape: "yes", path: "/m", port: "9090" });
  });

  it("prefers scrape targets, and gives the first one to agents that know no targets", () => {
    const pod = mergePrometheus(podWith({ "prometheus.istio.io/scrape-targets": "9090:/a, 9091" }), injection);
    expect(told(pod)).toEqual({
      scrape: "",
      path: "/a",
      port: "9090",
      targets: [
        { port: "9090", path: "/a" },
        { port: "9091", path: "/metrics" },
      ],
    });
  });

  it("does nothing where scraping or merging is off, or the agent is named already", () => {
    for (const annotations of [
      { "prometheus.io/scrape": "false" },
      { "prometheus.istio.io/merge-metrics": "0" },
      { "prometheus.io/port": "15020" },
    ]) {
      const pod = podWith(annotations);
      expect(mergePrometheus(pod, injection)).toBe(pod);
    }
  });

  it.each(["0", "65536", "x", "", "9 0"])("refuses the target port %j by name", (port) => {
    const run = () => mergePrometheus(podWith({ "prometheus.istio.io/scrape-targets": `80,${port}:/x` }), injection);
    if (port === "") expect(told(run())).toEqual({});
    else expect(run).toThrow(/Cannot scrape port .* of annotation prometheus.istio.io\/scrape-targets/);
  });

  it.each(["15000", "15090", "015021"])("refuses the reserved port %s and says whose it is", (port) => {
    expect(() => mergePrometheus(podWith({ "prometheus.io/port": port }), injection)).toThrow("reserved for Istio");
  });
});

describe("restorePrometheusAnnotations()", () => {
  it.each([
    {},
    { "prometheus.io/port": "9090", "prometheus.io/scrape": "true", "prometheus.io/path": "/m" },
    { "prometheus.istio.io/scrape-targets": "9090:/a,9091:/metrics" },
  ])("undoes mergePrometheus() on %j", (annotations) => {
    const pod = mergePrometheus(podWith(annotations), injection);
    expect(restorePrometheusAnnotations(pod, told(pod)).metadata?.annotations).toEqual(annotations);
  });
});

describe("isPrometheusMerged()", () => {
  it("knows what mergePrometheus() writes from what an author does", () => {
    expect(isPrometheusMerged(mergePrometheus(podWith({}), injection), 15020)).toBe(true);
    expect(isPrometheusMerged(podWith({ "prometheus.io/port": "15020", "prometheus.io/path": "/other" }), 15020)).toBe(
      false,
    );
  });
});
