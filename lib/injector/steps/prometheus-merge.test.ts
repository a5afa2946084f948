import type { Pod } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import type { RenderedInjection } from "../injection.ts";
import { neverInjected } from "../undo/earlier-injection.ts";
import { agentSettings } from "./agent-settings.ts";
import { isPrometheusMerged, prometheusMerge, scrapeVariable } from "./prometheus-merge.ts";

const injection = {
  injector: { meshConfig: { enablePrometheusMerge: true, defaultConfig: { statusPort: 15020 } }, config: {} },
} as unknown as RenderedInjection;

function podWith(annotations: Readonly<Record<string, string>>): Pod {
  return { metadata: { annotations }, spec: { containers: [{ name: "istio-proxy" }] } };
}

const settingsOf = (pod: Pod) => agentSettings(pod, scrapeVariable);

const merged = {
  "prometheus.io/port": "15020",
  "prometheus.io/path": "/stats/prometheus",
  "prometheus.io/scrape": "true",
};

describe("prometheusMerge.apply()", () => {
  it("points Prometheus at the agent even if the author says nothing", () => {
    const pod = prometheusMerge.apply(podWith({}), injection);
    expect(pod.metadata?.annotations).toEqual(merged);
    expect(settingsOf(pod)).toEqual({});
  });

  it("accepts every spelling that Prometheus accepts, and gives the agent the settings", () => {
    const pod = prometheusMerge.apply(
      podWith({ "prometheus.io/port": "9090", "prometheus_io/path": "/m", "prometheus.io.scrape": "yes" }),
      injection,
    );
    expect(pod.metadata?.annotations).toEqual(merged);
    expect(settingsOf(pod)).toEqual({ scrape: "yes", path: "/m", port: "9090" });
  });

  it("prefers scrape targets, and repeats the first one for agents that do not know targets", () => {
    const pod = prometheusMerge.apply(podWith({ "prometheus.istio.io/scrape-targets": "9090:/a, 9091" }), injection);
    expect(settingsOf(pod)).toEqual({
      scrape: "",
      path: "/a",
      port: "9090",
      targets: [
        { port: "9090", path: "/a" },
        { port: "9091", path: "/metrics" },
      ],
    });
  });

  it("does nothing if scraping or merging is off, or if the annotations name the agent already", () => {
    for (const annotations of [
      { "prometheus.io/scrape": "false" },
      { "prometheus.istio.io/merge-metrics": "0" },
      { "prometheus.io/port": "15020" },
    ]) {
      const pod = podWith(annotations);
      expect(prometheusMerge.apply(pod, injection)).toBe(pod);
    }
  });

  it.each(["0", "65536", "x", "", "9 0"])("refuses the target port %j by name", (port) => {
    const run = () =>
      prometheusMerge.apply(podWith({ "prometheus.istio.io/scrape-targets": `80,${port}:/x` }), injection);
    if (port === "") expect(settingsOf(run())).toEqual({});
    else expect(run).toThrow(/Cannot scrape port .* of annotation prometheus.istio.io\/scrape-targets/);
  });

  it.each(["15000", "15090", "015021"])("refuses the reserved port %s and names its use", (port) => {
    expect(() => prometheusMerge.apply(podWith({ "prometheus.io/port": port }), injection)).toThrow(
      "reserved for Istio",
    );
  });
});

describe("prometheusMerge before Istio 1.31", () => {
  const before = { injector: { ...injection.injector, config: { istio: "1.30" } } } as RenderedInjection;
  const earlier = { ...neverInjected, meshStatusPort: 15020 };

  it("leaves scrape targets to their author, also when it is undone", () => {
    const author = podWith({ "prometheus.istio.io/scrape-targets": "0:/a", "prometheus.io/port": "9090" });
    const pod = prometheusMerge.apply(author, before);
    expect(pod.metadata?.annotations).toEqual({ ...merged, "prometheus.istio.io/scrape-targets": "0:/a" });
    expect(settingsOf(pod)).toEqual({ scrape: "", path: "", port: "9090" });
    expect(prometheusMerge.undo?.(pod, earlier)).toEqual(author);
  });

  it("denies no port", () => {
    expect(settingsOf(prometheusMerge.apply(podWith({ "prometheus.io/port": "15090" }), before))).toMatchObject({
      port: "15090",
    });
  });
});

describe("prometheusMerge.undo()", () => {
  it.each([
    {},
    { "prometheus.io/port": "9090", "prometheus.io/scrape": "true", "prometheus.io/path": "/m" },
    { "prometheus.istio.io/scrape-targets": "9090:/a,9091:/metrics" },
  ])("undoes apply() on %j", (annotations) => {
    const pod = prometheusMerge.apply(podWith(annotations), injection);
    expect(prometheusMerge.undo?.(pod, { ...neverInjected, meshStatusPort: 15020 })).toEqual(podWith(annotations));
  });
});

describe("isPrometheusMerged()", () => {
  it("distinguishes what merging writes from what an author writes", () => {
    expect(isPrometheusMerged(prometheusMerge.apply(podWith({}), injection), 15020)).toBe(true);
    expect(isPrometheusMerged(podWith({ "prometheus.io/port": "15020", "prometheus.io/path": "/other" }), 15020)).toBe(
      false,
    );
  });
});
