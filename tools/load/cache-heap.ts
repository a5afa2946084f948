// The bundled handler under pods that are made to fill what is remembered across requests: one kind of text after another, each
// new in every request. Run with Lambda's flags (cache-heap.test.ts does): prints the heap after garbage collection as JSON lines,
// first that of the loaded release, then that after each kind; where shares are named (0, 1, 2), after each kind of these thirds.
import { createRequire } from "node:module";
import type { JsonObject } from "@outrigger/base";
import { compileRelease } from "@outrigger/injector";
import { readSourceTree } from "@outrigger/publisher";
import { eventOf } from "../../test/support/gateway-event.ts";

const [file = "", count = "1000", ...shares] = process.argv.slice(2);

/**
 * The kinds of values that a pod's author chooses: each makes annotations, or a whole pod, for the request of that
 * number.
 */
const KINDS: Readonly<Record<string, (at: number) => JsonObject>> = {
  "volumes, as many as no pod before": (at) =>
    annotated({
      "sidecar.istio.io/userVolume": listOf((at % 60) + 1, (item) => ({
        name: `v${item}`,
        [SOURCES[(at >> item) & 3] as string]: {},
      })),
    }),
  "long volume names": (at) =>
    annotated({ "sidecar.istio.io/userVolume": JSON.stringify({ [`v${at}`.padEnd(4000, "x")]: { emptyDir: {} } }) }),
  "many small volumes": (at) =>
    annotated({ "sidecar.istio.io/userVolume": listOf(150, (item) => ({ name: `${at}-${item}` })) }),
  "volumes of many fields": (at) =>
    annotated({ "sidecar.istio.io/userVolume": listOf(300, (item) => ({ [`k${at}x${item}`]: 1 })) }),
  mounts: (at) =>
    annotated({
      "sidecar.istio.io/userVolumeMount": listOf(90, (item) => ({ name: `${at}-${item}`, mountPath: "/a" })),
    }),
  "proxy metadata": (at) =>
    annotated({
      "proxy.istio.io/config": `proxyMetadata: {${itemsOf(250, (item) => `K${at}x${item}: a`).join(", ")}}`,
    }),
  "proxy metadata, long": (at) =>
    annotated({
      "proxy.istio.io/config": `proxyMetadata:\n${itemsOf(900, (item) => `  K${at}x${item}: "${item}"\n`).join("")}`,
    }),
  "proxy's concurrency in flow": (at) =>
    annotated({ "proxy.istio.io/config": `{concurrency: 2, proxyMetadata: {A: "${String(at).padEnd(3900, "é€")}"}}` }),
  labels: (at) => labelled(Object.fromEntries(itemsOf(200, (item) => [`l${at}-${item}`, "x"]))),
  "labels with slashes": (at) =>
    labelled(Object.fromEntries(itemsOf(200, (item) => [`e.io/l${at}~${item}`.padEnd(200, "a"), "x"]))),
  "containers with long names": (at) =>
    pod(
      {},
      itemsOf(40, (item) => ({
        name: `c${at}-${item}`.padEnd(3000, "x"),
        image: "a",
        ports: [{ containerPort: item + 1 }],
        livenessProbe: { httpGet: { path: `/${at}`, port: item + 1 } },
      })),
    ),
  quantities: (at) =>
    annotated({
      "sidecar.istio.io/proxyCPU": `${at}.000001`,
      "sidecar.istio.io/proxyCPULimit": `${at}.0000011`,
      "sidecar.istio.io/proxyMemory": `${at}0000.1`,
      "sidecar.istio.io/proxyMemoryLimit": `${at}0000.2`,
    }),
  ports: (at) =>
    annotated({
      "traffic.sidecar.istio.io/excludeInboundPorts": itemsOf(700, (item) =>
        String(((at * 700 + item) % 65000) + 1),
      ).join(","),
    }),
  datadog: (at) =>
    annotated({
      "apm.datadoghq.com/env": JSON.stringify(Object.fromEntries(itemsOf(200, (item) => [`D${at}x${item}`, "a"]))),
    }),
  status: (at) =>
    annotated({
      "sidecar.istio.io/status": JSON.stringify({
        initContainers: itemsOf(500, (item) => `${at}-${item}`),
        containers: null,
        volumes: itemsOf(500, (item) => `v${at}-${item}`),
      }),
    }),
  overrides: (at) =>
    pod({
      "proxy.istio.io/overrides": JSON.stringify({
        containers: [{ name: "istio-proxy", env: itemsOf(300, (item) => ({ name: `E${at}x${item}`, value: "1" })) }],
      }),
    }),
  "proxy of its own": (at) =>
    pod({}, [
      { name: "web", image: "a" },
      { name: "istio-proxy", image: "auto", env: itemsOf(300, (item) => ({ name: `E${at}x${item}`, value: "1" })) },
    ]),
  "replicas with long keys": (at) => ({
    ...pod({}),
    metadata: {
      labels: { app: "a" },
      ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "r", uid: `u${at >> 1}`, controller: true }],
    },
    spec: { containers: [{ name: "a", image: "a" }], nodeSelector: { [`k${at >> 1}`.padEnd(100_000, "x")]: "" } },
  }),
  everything: (at) =>
    annotated({
      "sidecar.istio.io/userVolume": listOf((at % 40) + 1, (item) => ({ name: `v${at}-${item}`, emptyDir: {} })),
      "proxy.istio.io/config": `proxyMetadata: {${itemsOf(250, (item) => `K${at}x${item}: a`).join(", ")}}`,
      "sidecar.istio.io/interceptionMode": at % 2 ? "TPROXY" : "REDIRECT",
      "sidecar.istio.io/logLevel": "debug",
      [`a${at}`]: "b",
    }),
};

const SOURCES = ["emptyDir", "hostPath", "configMap", "secret"];

const { createHandler } = createRequire(import.meta.url)(file);
const handler = createHandler({
  release: compileRelease([await readSourceTree("templates")]),
  write: () => undefined,
  metrics: { stage: "load", now: Date.now },
});
for (let at = 0; at < 50; at++) await send(pod({}), at);
// The floor is collected as far as it goes; what a kind leaves may only look like more.
report("loaded", 4);
for (const [index, [kind, podOf]] of Object.entries(KINDS).entries()) {
  if (shares.length > 0 && !shares.includes(String(index % 3))) continue;
  for (let at = 0; at < Number(count); at++) await send(podOf(at), at);
  report(kind, 1);
}

async function send(object: JsonObject, at: number): Promise<void> {
  const { statusCode } = await handler(JSON.parse(JSON.stringify(eventOf({ object, namespace: `shop-${at % 7}` }))));
  if (statusCode !== 200) throw new Error(`A request was answered with ${statusCode}`);
}

function report(kind: string, collections: number): void {
  for (let round = 0; round < collections; round++) globalThis.gc?.();
  const { heapUsed } = process.memoryUsage();
  console.log(JSON.stringify({ kind, heapUsed }));
}

function annotated(annotations: JsonObject): JsonObject {
  return pod(annotations);
}

function labelled(labels: JsonObject): JsonObject {
  return { metadata: { labels }, spec: { containers: [{ name: "a", image: "a" }] } };
}

function pod(annotations: JsonObject, containers: readonly JsonObject[] = [{ name: "a", image: "a" }]): JsonObject {
  return { metadata: { labels: { app: "a" }, annotations }, spec: { containers: [...containers] } };
}

function listOf(most: number, itemAt: (at: number) => JsonObject): string {
  return JSON.stringify(itemsOf(most, itemAt));
}

function itemsOf<T>(most: number, itemAt: (at: number) => T): T[] {
  return Array.from({ length: most }, (_, at) => itemAt(at));
}
