// Fuzzes the handler with the shipped templates: pods and annotations, built to be nearly right, then damaged. Each run has
// a seed; `OUTRIGGER_FUZZ_SEED=n OUTRIGGER_FUZZ_RUNS=1` repeats one, and `OUTRIGGER_FUZZ_RUNS=1000000` takes hours.
import { beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../lib/json.ts";
import { applyPatch } from "../../lib/kube/apply-patch.ts";
import type { Container, Pod } from "../../lib/kube/pod-types.ts";
import { compileRelease } from "../../lib/release/compile-release.ts";
import { readSourceTree } from "../../lib/source/source-directory.ts";
import type { Handler } from "./handler.ts";
import { createHandler } from "./index.ts";

const RUNS = Number(process.env["OUTRIGGER_FUZZ_RUNS"] ?? 2000);
const FIRST_SEED = Number(process.env["OUTRIGGER_FUZZ_SEED"] ?? 1);
const MARKER = "mArKeR";

/** A generator of numbers from 0 to 1 (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Random = () => number;

const pick = <T>(random: Random, choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T;

const scalars: readonly unknown[] = [
  "",
  MARKER,
  `${MARKER}\n- a: b`,
  0,
  -1,
  1.5,
  70000,
  true,
  null,
  {},
  [],
  [MARKER],
  { [MARKER]: 1 },
  "__proto__",
  "\ud800",
];

const keys = [
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

const texts = [
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
  `{"v":{"emptyDir":{}}}`,
  `[{"name":"v","hostPath":{"path":"/v"}}]`,
  `{"v":{"mountPath":"/v","readonly":true}}`,
  `{"v":{"mountPath":"${MARKER}"}}`,
  `proxyMetadata: {A: &a ${MARKER}, B: *a}`,
  `a: *${MARKER}`,
  "holdApplicationUntilProxyStarts: true",
  "concurrency: x",
  MARKER,
];

function damagedText(random: Random): string {
  const text = pick(random, texts);
  if (random() < 0.6) return text;
  const at = Math.floor(random() * (text.length + 1));
  const inserted = pick(random, [
    MARKER,
    "\n",
    '"',
    "{",
    "]",
    ",",
    ":",
    "\u0000",
    "&a ",
    "*a",
    "$patch",
    "9".repeat(20),
  ]);
  return text.slice(0, at) + inserted + text.slice(at + Math.floor(random() * 3));
}

function containerOf(random: Random, name: string): JsonObject {
  return {
    name,
    image: pick(random, ["app", "auto"]),
    ...(random() < 0.4 && {
      readinessProbe: { httpGet: { path: "/", port: pick(random, [80, "http", "none", 15020]) } },
    }),
    ...(random() < 0.3 && { lifecycle: { preStop: { tcpSocket: { port: 80 } } } }),
    ...(random() < 0.4 && { ports: [{ name: "http", containerPort: 8080 }] }),
    ...(random() < 0.3 && {
      env: [{ name: pick(random, ["A", "PROXY_CONFIG", "ISTIO_KUBE_APP_PROBERS"]), value: damagedText(random) }],
    }),
    ...(random() < 0.3 && { securityContext: { runAsUser: pick(random, [0, 1337, 2000]) } }),
    ...(random() < 0.2 && { newField: { [MARKER]: [MARKER] } }),
  };
}

function podOf(random: Random): JsonObject {
  const names = ["app", "helper", "istio-proxy", "istio-init", "enable-core-dump"].filter(() => random() < 0.5);
  const at = Math.floor(random() * (names.length + 1));
  const annotations = Object.fromEntries(
    Array.from({ length: Math.floor(random() * 5) }, () => [pick(random, keys), damagedText(random)]),
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

/** The value with one node replaced by something of another type: what no API server sends. */
function damaged(value: unknown, random: Random): unknown {
  if (typeof value !== "object" || value === null || random() < 0.15) return pick(random, scalars);
  const children = Object.keys(value);
  if (children.length === 0) return pick(random, scalars);
  const key = pick(random, children);
  const changed = damaged((value as Readonly<Record<string, unknown>>)[key], random);
  return Array.isArray(value) ? value.with(Number(key), changed) : { ...value, [key]: changed };
}

const lines: string[] = [];
let handler: Handler;

beforeAll(async () => {
  const release = compileRelease([await readSourceTree("templates")]);
  handler = createHandler({ release, write: (line) => lines.push(line) });
});

async function send(object: unknown) {
  lines.length = 0;
  const review = {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: { uid: "u", namespace: "shop", object },
  };
  const requestContext = { http: { method: "POST", path: "/inject" } };
  const headers = { "content-type": "application/json" };
  const result = await handler({ rawPath: "/inject", headers, requestContext, body: JSON.stringify(review) });
  return { status: result.statusCode, body: result.body, log: lines.join("") };
}

const namesIn = ({ spec }: Pod) =>
  [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].map(({ name }: Container) => name);

/** What is wrong with the answer to the pod of a seed. */
async function faultOf(seed: number): Promise<string | undefined> {
  const random = randomOf(seed);
  const whole = podOf(random);
  const isDamaged = random() < 0.3;
  const pod = isDamaged ? damaged(whole, random) : whole;
  const { status, body, log } = await send(pod);
  if (status >= 500) return `status ${status}: ${log}`;
  // The name of the pod is what a line is found by.
  const { pod: _name, ...logged } = JSON.parse(log);
  if (JSON.stringify(logged).includes(MARKER)) return `the log holds a part of the pod: ${log}`;
  if (status !== 200 || isDamaged) return undefined;
  const { allowed, patch } = JSON.parse(body).response;
  if (!allowed || patch === undefined) return undefined;
  const injected = applyPatch(pod as JsonObject, JSON.parse(Buffer.from(patch, "base64").toString()));
  const lost = namesIn(pod as Pod).find(
    (name) => ["main", "app", "helper"].includes(name) && !namesIn(injected).includes(name),
  );
  return lost === undefined ? undefined : `container ${lost} is lost`;
}

describe("a fuzzed request", () => {
  it("never crashes, changes a prototype, loses a container or shows the pod in the log", async () => {
    const before = Object.getOwnPropertyNames(Object.prototype);
    const faults: string[] = [];
    for (let seed = FIRST_SEED; seed < FIRST_SEED + RUNS && faults.length < 8; seed++) {
      const fault = await faultOf(seed);
      if (fault !== undefined) faults.push(`seed ${seed}: ${fault}`);
    }
    expect(faults).toEqual([]);
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
  });
});
