// What is read off an injected pod is what undoing it would show: for pods of authors who write what injection writes too.

import { defined } from "@outrigger/base";
import type { Container, Pod } from "@outrigger/pod";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { deepFreeze, RUNS } from "../../../test/support/arbitrary-pod.ts";
import { shippedTreeUntried } from "../../../test/support/shipped-tree.ts";
import { renderInjection } from "../inject-pod.ts";
import type { Injector } from "../injection.ts";
import { compileRelease } from "../release/compile-release.ts";
import { loadRelease } from "../release/load-release.ts";
import { injectionSteps } from "../steps/injection-steps.ts";
import { neverInjected } from "./earlier-injection.ts";
import { readStatus } from "./injection-status.ts";

const oddPort = fc.constantFrom<number | string>(15020, "agent", "none", "");
const port = fc.oneof({ weight: 19, arbitrary: fc.constantFrom<number | string>(8080, "http") }, oddPort);
const oddPath = fc.constantFrom("/app-health/web/livez", "/app-lifecycle/web/prestopz");
const path = fc.oneof({ weight: 9, arbitrary: fc.constant("/") }, oddPath);
const httpGet = fc.record({ path, port, scheme: fc.constant("HTTPS") }, { requiredKeys: ["port"] });
const handler = fc.oneof(
  fc.record({ httpGet }),
  fc.record({ tcpSocket: fc.record({ port }) }),
  fc.record({ httpGet, tcpSocket: fc.record({ port }) }),
  fc.constantFrom({ grpc: { port: 8080 } }, { exec: { command: ["true"] } }),
);
const probe = fc.tuple(handler, fc.constantFrom({}, { timeoutSeconds: 3 }, { timeoutSeconds: 0 }));
const asProbe = probe.map(([action, seconds]) => ({ ...action, ...seconds }));

const container = fc.record(
  {
    name: fc.constantFrom("web", "worker", "job", "a/b", "c", "d", "e", "istio-proxy"),
    image: fc.constantFrom("auto", "registry.example/x:1"),
    ports: fc.constant([
      { name: "http", containerPort: 8080 },
      { name: "agent", containerPort: 15020 },
    ]),
    livenessProbe: asProbe,
    readinessProbe: asProbe,
    startupProbe: asProbe,
    lifecycle: fc.record({ postStart: handler, preStop: handler }, { requiredKeys: [] }),
  },
  { requiredKeys: ["name", "image"] },
) as unknown as fc.Arbitrary<Container>;

const scrapeKey = fc.constantFrom(
  "prometheus.io/scrape",
  "prometheus.io/port",
  "prometheus.io/path",
  "prometheus_io_port",
  "prometheus.istio.io/scrape-targets",
  "prometheus.example/other",
);
const odd = fc.dictionary(scrapeKey, fc.constantFrom("", "true", "8080", "/stats/prometheus"), { maxKeys: 4 });

const usual = fc.record(
  {
    "prometheus.io/scrape": fc.constant("true"),
    "prometheus.io/port": fc.constant("8080"),
    "prometheus.io/path": fc.constantFrom("/m", "/stats/prometheus"),
  },
  { requiredKeys: [] },
);
const annotations = fc.oneof({ weight: 3, arbitrary: usual }, odd) as fc.Arbitrary<Record<string, string>>;

const pods: fc.Arbitrary<Pod> = fc
  .record({
    annotations,
    labels: fc.dictionary(fc.constantFrom("app", "security.istio.io/tlsMode"), fc.constant("istio")),
    containers: fc.array(container, { minLength: 1, maxLength: 2 }),
    initContainers: fc.option(fc.array(container, { minLength: 1, maxLength: 1 }), { nil: undefined }),
    volumes: fc.uniqueArray(fc.constantFrom("data", "more", "istio-data"), { maxLength: 2 }),
    hasSources: fc.constantFrom(true, true, true, false),
    rewrites: fc.constantFrom(undefined, "false"),
  })
  .map(({ containers, initContainers, volumes, hasSources, rewrites, ...metadata }) => ({
    metadata: {
      ...metadata,
      annotations: { ...metadata.annotations, ...defined({ "sidecar.istio.io/rewriteAppHTTPProbers": rewrites }) },
    },
    spec: {
      containers,
      ...defined({ initContainers }),
      ...(volumes.length > 0 && { volumes: volumes.map((name) => ({ name, ...(hasSources && { emptyDir: {} }) })) }),
    },
  }));

/** Templates that write what authors write, and take away what they wrote. */
const TREES = [
  {},
  { config: 'injectedAnnotations: {prometheus_io_port: "8080", prometheus.io/path: ""}' },
  { "templates/more": 'metadata:\n  annotations:\n    prometheus.io/port: "9090"\nspec:\n  hostname: web' },
  {
    "templates/more":
      "spec:\n  containers:\n  - name: web\n    livenessProbe: {tcpSocket: {port: 81}}\n  - {name: worker, $patch: delete}",
  },
  {
    "templates/more":
      "spec:\n  initContainers: [{name: web, image: x}]\n  volumes: [{name: data, hostPath: {path: /d}}]",
  },
] as const;

/** Half of them without any. */
const trees = fc.nat({ max: 2 * TREES.length - 1 }).map((tree) => (tree < TREES.length ? tree : 0));

let injectors: readonly Injector[];

beforeAll(async () => {
  const shipped = await shippedTreeUntried();
  const config = "defaultTemplates: [sidecar, more]";
  injectors = TREES.map((tree) => {
    const layer = "templates/more" in tree ? { ...tree, config } : tree;
    const injector = loadRelease(compileRelease([shipped, layer]));
    return injector;
  });
});

/** The pod's record, and the one that undoing makes: of a pod that has been injected before, nothing is read off. */
function records(injector: Injector, pod: Pod) {
  const { rendered } = renderInjection(injector, { pod, namespace: "shop", parameters: {} }, "shop");
  const steps = injectionSteps(injector);
  const done = steps.slice(0, -1).reduce((current, step) => step.apply(current, rendered), rendered.pod);
  const record = (earlier: typeof neverInjected) => steps.at(-1)?.apply(done, { ...rendered, earlier }) as Pod;
  return { usual: record(neverInjected), byUndoing: record({ ...neverInjected }) };
}

describe("remainderInPlace()", () => {
  it("comes to the notes of undoing", () => {
    let noted = 0;
    fc.assert(
      fc.property(trees, pods, (tree, pod) => {
        const injector = injectors[tree] as Injector;
        let made: ReturnType<typeof records>;
        try {
          made = records(injector, deepFreeze(pod));
        } catch (error) {
          // A pod that is denied has no record.
          expect(error).toMatchObject({ code: expect.any(String) });
          return;
        }
        expect(made.usual).toEqual(made.byUndoing);
        if (readStatus(made.usual)?.notes.some((note) => note.startsWith("restore/"))) noted += 1;
      }),
      { numRuns: RUNS },
    );
    expect(noted).toBeGreaterThan(RUNS / 10);
  });
});
