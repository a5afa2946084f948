// How the work and the answer of one request grow with its size: at most in proportion. Counts how often blocks of the
// product's code run; a clock would measure the machine.
import { Session } from "node:inspector/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Handler } from "../../functions/inject/handler.ts";
import { createHandler } from "../../functions/inject/index.ts";
import type { Container, Pod } from "../../lib/kube/pod-types.ts";
import { compileRelease } from "../../lib/release/compile-release.ts";
import { readSourceTree } from "../../lib/source/source-directory.ts";

const SIZE = 150;
/** Twice as much more for twice as much more, and a tenth for what is done once in so many. */
const MOST = 2.2;
/** Growth of less than this is that of numbers' digits. */
const NOTHING = 300;

const APP: Container = { name: "app", image: "app" };

function times<T>(count: number, make: (at: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, at) => make(at));
}

function podOf(spec: object = {}, annotations: Readonly<Record<string, string>> = {}): Pod {
  return { metadata: { name: "web", annotations }, spec: { containers: [APP], ...spec } };
}

const probed = (at: number): Container => ({
  ...APP,
  name: `c-${at}`,
  readinessProbe: { httpGet: { path: "/", port: 8000 + at } },
});
const entries = (count: number) => Object.fromEntries(times(count, (at) => [`example.com/a-${at}`, "x"]));
const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

/** Pods that grow with a number in one way. */
const dimensions: Readonly<Record<string, (count: number) => Pod>> = {
  containers: (count) => podOf({ containers: times(count, (at) => ({ ...APP, name: `c-${at}` })) }),
  "init containers": (count) => podOf({ initContainers: times(count, (at) => ({ ...APP, name: `c-${at}` })) }),
  "variables of a container": (count) =>
    podOf({ containers: [{ ...APP, env: times(count, (at) => ({ name: `V_${at}`, value: "x" })) }] }),
  "variables of the proxy": (count) =>
    podOf({
      containers: [
        APP,
        { name: "istio-proxy", image: "auto", env: times(count, (at) => ({ name: `V_${at}`, value: "x" })) },
      ],
    }),
  volumes: (count) => podOf({ volumes: times(count, (at) => ({ name: `v-${at}`, emptyDir: {} })) }),
  mounts: (count) =>
    podOf({
      containers: [{ ...APP, volumeMounts: times(count, (at) => ({ name: "v", mountPath: `/m/${at}` })) }],
      volumes: [{ name: "v", emptyDir: {} }],
    }),
  ports: (count) => podOf({ containers: [{ ...APP, ports: times(count, (at) => ({ containerPort: at + 1 })) }] }),
  annotations: (count) => podOf({}, entries(count)),
  labels: (count) => ({ ...podOf(), metadata: { name: "web", labels: entries(count) } }),
  probes: (count) => podOf({ containers: times(count, probed) }),
  tolerations: (count) => podOf({ tolerations: times(count, (at) => ({ key: `k-${at}`, operator: "Exists" })) }),
  templates: (count) => podOf({}, { "inject.istio.io/templates": times(count, () => "sidecar").join(",") }),
  "ports in an annotation": (count) =>
    podOf({}, { "traffic.sidecar.istio.io/excludeInboundPorts": times(count, (at) => at + 1).join(",") }),
  "user volumes": (count) =>
    podOf(
      {},
      { "sidecar.istio.io/userVolume": JSON.stringify(times(count, (at) => ({ name: `v-${at}`, emptyDir: {} }))) },
    ),
  "proxy metadata": (count) =>
    podOf({}, { "proxy.istio.io/config": `proxyMetadata:\n${times(count, (at) => `  V_${at}: x\n`).join("")}` }),
  "nesting of an annotation": (count) => podOf({}, { "sidecar.istio.io/userVolume": nested(count) }),
};

describe("one request", () => {
  const session = new Session();
  let handler: Handler;

  beforeAll(async () => {
    const release = compileRelease([await readSourceTree("templates")]);
    handler = createHandler({ release, write: () => undefined });
    session.connect();
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  }, 60_000);

  afterAll(async () => {
    await session.post("Profiler.stopPreciseCoverage");
    session.disconnect();
  });

  /** How often blocks of lib/ ran for a request, and the length of its answer. */
  async function measure(pod: Pod): Promise<{ readonly work: number; readonly answer: number }> {
    const review = {
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      request: { uid: "u", namespace: "shop", object: pod },
    };
    const body = JSON.stringify(review);
    const requestContext = { http: { method: "POST", path: "/inject" } };
    const headers = { "content-type": "application/json" };
    await session.post("Profiler.takePreciseCoverage");
    const result = await handler({ rawPath: "/inject", headers, requestContext, body });
    const { result: scripts } = await session.post("Profiler.takePreciseCoverage");
    const blocks = scripts
      .filter(({ url }) => url.includes("/lib/"))
      .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges));
    const work = blocks.reduce((sum, { count }) => sum + count, 0);
    return { work, answer: result.body.length };
  }

  it.each(Object.entries(dimensions))("takes work and answers in proportion to its %s", async (_, make) => {
    // What is made on first use is made here.
    for (const count of [2, SIZE]) await measure(make(count));
    const [small, middle, large] = [
      await measure(make(SIZE)),
      await measure(make(2 * SIZE)),
      await measure(make(4 * SIZE)),
    ];
    for (const of of ["work", "answer"] as const) {
      const [first, second] = [middle[of] - small[of], large[of] - middle[of]];
      expect(small[of]).toBeGreaterThan(100);
      expect(second).toBeLessThanOrEqual(Math.max(NOTHING, MOST * first));
    }
  });
});
