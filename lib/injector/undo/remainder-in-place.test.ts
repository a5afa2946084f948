import type { Pod } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import { remainderInPlace } from "./remainder-in-place.ts";

const pod = (value: unknown) => value as Pod;

const inPlace = (injected: Pod, author: Pod, isMerged = false) => remainderInPlace(injected, author, isMerged, 15020);

const PORTS = [
  { name: "http", containerPort: 8080 },
  { name: "agent", containerPort: 15020 },
];
const OTHER = { name: "b" };
const VOLUME = { name: "v", hostPath: { path: "/v" } };
const rewritten = (path: string) => ({ httpGet: { path, port: 15020 } });

const author = pod({
  metadata: { labels: { a: "1" }, annotations: null },
  spec: { dnsPolicy: "None", containers: [{ name: "web" }, OTHER], volumes: [VOLUME] },
});
const [web] = author.spec?.containers ?? [];

const injected = (changes: object) =>
  pod({
    metadata: { labels: { a: "1", b: "2" }, annotations: { c: "3" } },
    spec: {
      dnsPolicy: "None",
      containers: [web, OTHER, { name: "istio-proxy" }],
      initContainers: [{ name: "istio-init" }],
      volumes: [VOLUME, { name: "w" }],
      ...changes,
    },
  });

/** The notes of a pod with one container, which has these fields and then those. */
function ofContainer(own: object, changed: object, others: readonly object[] = []) {
  const wanted = { name: "web", ports: PORTS, ...own };
  const spec = { containers: [{ ...wanted, ...changed }, ...others] };
  return inPlace(pod({ spec }), pod({ spec: { containers: [wanted, ...others] } }));
}

describe("remainderInPlace()", () => {
  it("returns no notes where all of the author's is there", () => {
    expect(inPlace(injected({}), author)).toEqual([]);
    expect(inPlace(injected({}), pod({ spec: { containers: [OTHER] } }))).toEqual([]);
  });

  it("notes the names of ports of rewritten probes and hooks, sorted by their places", () => {
    const own = {
      startupProbe: { tcpSocket: { port: "http" } },
      readinessProbe: { grpc: { port: 15020 } },
      livenessProbe: { httpGet: { path: "/", port: 8080 } },
      lifecycle: { preStop: { httpGet: { port: "http" } }, postStart: { exec: { command: ["a"] } } },
    };
    const changed = {
      startupProbe: rewritten("/app-health/web/startupz"),
      readinessProbe: rewritten("/app-health/web/readyz"),
      livenessProbe: rewritten("/app-health/web/livez"),
      lifecycle: { ...own.lifecycle, preStop: rewritten("/app-lifecycle/web/prestopz") },
    };
    expect(ofContainer(own, changed)).toEqual([
      'restore/spec/containers/web/lifecycle/preStop/httpGet/port="http"',
      'restore/spec/containers/web/startupProbe/tcpSocket/port="http"',
    ]);
  });

  it.each([
    ["a port of another name", { httpGet: { port: "none" } }],
    ["the agent's port", { httpGet: { port: 15020 } }],
    ["the agent's port by name", { tcpSocket: { port: "agent" } }],
    ["no port", { httpGet: { path: "/" } }],
    ["the agent's path", { httpGet: { path: "/app-health/web/readyz", port: 8080 } }],
  ])("leaves a probe to undoing that asks for %s", (_, readinessProbe) => {
    const changed = { readinessProbe: rewritten("/app-health/web/readyz") };
    expect(ofContainer({ readinessProbe }, changed)).toBeUndefined();
  });

  it("leaves a container to undoing that changed otherwise, or whose name another has, in either list", () => {
    const own = { readinessProbe: { httpGet: { port: 8080 } } };
    const changed = { readinessProbe: rewritten("/app-health/web/readyz") };
    expect(ofContainer(own, changed)).toEqual([]);
    expect(ofContainer(own, { ...changed, image: "x" })).toBeUndefined();
    expect(ofContainer({ ...own, image: "x" }, { ...changed, image: "y" })).toBeUndefined();
    expect(ofContainer(own, changed, [{ name: "web" }])).toBeUndefined();
    const [wanted] = [{ name: "web", ...own }];
    const spec = { containers: [{ ...wanted, ...changed }], initContainers: [{ name: "web" }] };
    expect(inPlace(pod({ spec }), pod({ spec: { containers: [wanted] } }))).toBeUndefined();
  });

  it.each([
    ["a field that changed", { dnsPolicy: "Default" }],
    ["another order", { containers: [OTHER, web] }],
    ["a container that is gone", { containers: [web] }],
    ["a list that is gone", { volumes: undefined }],
    ["a volume that got another source", { volumes: [{ ...VOLUME, emptyDir: {} }] }],
  ])("leaves it to undoing where there is %s", (_, changes) => {
    expect(inPlace(injected(changes), author)).toBeUndefined();
  });

  it("leaves it to undoing where the author has a proxy, an empty list or another label", () => {
    const left = (wanted: object) => inPlace(injected({}), pod(wanted));
    expect(left({ spec: { containers: [{ name: "istio-proxy" }] } })).toBeUndefined();
    expect(left({ spec: { initContainers: [] } })).toBeUndefined();
    expect(left({ metadata: { labels: { a: "2" } } })).toBeUndefined();
    expect(left({ metadata: { annotations: { d: "4" } } })).toBeUndefined();
    expect(left({ metadata: { name: "web" } })).toBeUndefined();
  });

  describe("where scrape annotations are merged", () => {
    const merged = {
      "prometheus.io/scrape": "true",
      "prometheus.io/port": "15020",
      "prometheus.io/path": "/stats/prometheus",
    };
    const ofAnnotations = (annotations: object, settings?: object, isMerged = true) => {
      const value = JSON.stringify(settings);
      const env = settings && [{ name: "ISTIO_PROMETHEUS_ANNOTATIONS", value }];
      const made = { metadata: { annotations: { ...merged } }, spec: { containers: [{ name: "istio-proxy", env }] } };
      return inPlace(pod(made), pod({ metadata: { annotations } }), isMerged);
    };

    it("returns no notes where the agent's settings are what the author wrote", () => {
      expect(ofAnnotations({})).toEqual([]);
      const own = { "prometheus.io/port": "80", "prometheus.io/scrape": "true" };
      expect(ofAnnotations(own, { scrape: "true", port: "80", path: "" })).toEqual([]);
      expect(ofAnnotations(own, { scrape: "true", port: "80", path: "" }, false)).toBeUndefined();
    });

    it.each([
      ["a setting that the author has not", {}, { scrape: "", port: "80", path: "" }],
      ["an annotation that the agent has not", { "prometheus.io/port": "80" }, undefined],
      ["an empty annotation", { "prometheus.io/path": "" }, { scrape: "", port: "", path: "" }],
      ["another spelling", { prometheus_io_port: "80" }, { scrape: "", port: "80", path: "" }],
      ["two spellings", { "prometheus.io/port": "80", prometheus_io_port: "80" }, { scrape: "", port: "80", path: "" }],
      ["targets", {}, { scrape: "", port: "", path: "", targets: [{ port: "80", path: "/" }] }],
      ["an annotation of others that changed", { "prometheus.example/x": "1" }, undefined],
    ])("leaves it to undoing where there is %s", (_, annotations, settings) => {
      expect(ofAnnotations(annotations, settings)).toBeUndefined();
    });
  });
});
