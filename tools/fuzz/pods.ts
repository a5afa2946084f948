// Pods that are nearly right: names that the injection uses for its own, every annotation that is read, values that have
// been tried on injectors before.
import type { JsonObject } from "@outrigger/base";
import { below, damagedText, MARKER, pick, type Random } from "./damage.ts";

/** Every annotation that is read. */
export const ANNOTATION_KEYS = [
  "sidecar.istio.io/inject",
  "inject.istio.io/templates",
  "sidecar.istio.io/status",
  "proxy.istio.io/overrides",
  "proxy.istio.io/config",
  "sidecar.istio.io/nativeSidecar",
  "sidecar.istio.io/interceptionMode",
  "sidecar.istio.io/rewriteAppHTTPProbers",
  "status.sidecar.istio.io/port",
  "prometheus.istio.io/merge-metrics",
  "prometheus.io/port",
  "prometheus.io/path",
  "prometheus.io/scrape",
  "prometheus.istio.io/scrape-targets",
  "sidecar.istio.io/userVolume",
  "sidecar.istio.io/userVolumeMount",
  "apm.datadoghq.com/env",
  "sidecar.istio.io/proxyCPU",
  "sidecar.istio.io/proxyMemoryLimit",
  "sidecar.istio.io/logLevel",
  "sidecar.istio.io/proxyImage",
  "sidecar.istio.io/bootstrapOverride",
  "k8s.v1.cni.cncf.io/networks",
  "readiness.status.sidecar.istio.io/periodSeconds",
  "traffic.sidecar.istio.io/excludeInboundPorts",
  "traffic.sidecar.istio.io/includeOutboundIPRanges",
  "istio.io/rev",
  MARKER,
];

/** Texts for any of them. */
export const ANNOTATION_TEXTS = [
  "true",
  "false",
  "sidecar",
  "gateway,sidecar",
  "grpc-agent",
  "grpc-simple",
  "80",
  "15020",
  "0",
  "100m",
  "{",
  "[]",
  "{}",
  "null",
  `{"containers":["istio-proxy","app"],"initContainers":["istio-init"]}`,
  `{"containers":[{"name":"istio-proxy","env":"${MARKER}"}]}`,
  `{"containers":[{"name":"istio-proxy","image":"auto","env":[{"name":"A","value":"b"}]}]}`,
  `{"v":{"emptyDir":{}}}`,
  `[{"name":"v","hostPath":{"path":"/v"}}]`,
  `{"v":{"mountPath":"/v","readonly":true}}`,
  `{"v":{"mountPath":"${MARKER}"}}`,
  `proxyMetadata: {A: &a ${MARKER}, B: *a}`,
  `a: *${MARKER}`,
  "holdApplicationUntilProxyStarts: true",
  "concurrency: x",
  "tracing: {zipkin: {address: a:1}, sampling: 10}",
  "image: {imageType: distroless}",
  MARKER,
];

const tokens = [
  MARKER,
  "\n",
  '"',
  "{",
  "}",
  "]",
  ",",
  ":",
  "\u0000",
  "&a ",
  "*a",
  "$patch",
  "9".repeat(20),
  "{{x}}",
  "\u2028",
];

function annotationText(random: Random): string {
  const text = pick(random, ANNOTATION_TEXTS);
  return random() < 0.6 ? text : damagedText(text, random, tokens);
}

function containerOf(random: Random, name: string): JsonObject {
  return {
    name,
    image: pick(random, ["app", "auto"]),
    ...(random() < 0.4 && {
      readinessProbe: { httpGet: { path: "/", port: pick(random, [80, "http", "none", 15020]) } },
    }),
    ...(random() < 0.2 && { startupProbe: { grpc: { port: 80 } } }),
    ...(random() < 0.3 && { lifecycle: { preStop: { tcpSocket: { port: 80 } } } }),
    ...(random() < 0.4 && { ports: [{ name: "http", containerPort: 8080 }] }),
    ...(random() < 0.3 && {
      env: [{ name: pick(random, ["A", "PROXY_CONFIG", "ISTIO_KUBE_APP_PROBERS"]), value: annotationText(random) }],
    }),
    ...(random() < 0.3 && { securityContext: { runAsUser: pick(random, [0, 1337, 2000]) } }),
    ...(random() < 0.2 && { newField: { [MARKER]: [MARKER] } }),
  };
}

/** A pod that an API server could send, `main` and any of five more containers in it. */
export function podOf(random: Random): JsonObject {
  const names = ["app", "helper", "istio-proxy", "istio-init", "enable-core-dump"].filter(() => random() < 0.5);
  const at = below(random, names.length + 1);
  const annotations = Object.fromEntries(
    Array.from({ length: below(random, 5) }, () => [pick(random, ANNOTATION_KEYS), annotationText(random)]),
  );
  return {
    metadata: { name: "web", labels: { app: pick(random, ["web", "x".repeat(70)]) }, annotations },
    spec: {
      containers: [{ name: "main", image: "main" }, ...names.slice(at).map((name) => containerOf(random, name))],
      ...(at > 0 && { initContainers: names.slice(0, at).map((name) => containerOf(random, name)) }),
      ...(random() < 0.3 && { volumes: [{ name: pick(random, ["data", "istio-data"]), emptyDir: {} }] }),
    },
  };
}

/** What the author of such a pod wrote and must find again. */
export const FOREIGN: readonly string[] = ["main", "app", "helper"];
