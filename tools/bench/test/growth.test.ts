// How the work and the answer of one request grow with its size: at most in proportion. Counts how often blocks of the
// product's code run, and how long the lists are that native functions go through for it; a clock would measure the machine.
// The counts are exact only where V8 compiles nothing: the project `alone` in vitest.config.ts turns its compilers off.
import { Session } from "node:inspector/promises";
import { sharedMemory } from "@outrigger/base";
import {
  compileRelease,
  type Injector,
  type InjectRequest,
  injectManifest,
  injectPod,
  loadRelease,
  uninjectManifest,
} from "@outrigger/injector";
import { type Container, type Pod, validatePod } from "@outrigger/pod";
import { readSourceTree } from "@outrigger/publisher";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Handler } from "../../../functions/inject/api-gateway.ts";
import { createHandler } from "../../../functions/inject/index.ts";

const SIZE = 150;
/** The most growth for twice the input: twice as much, and a tenth for what is done once in so many. */
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
const portOf = (letter: string): number => 10_000 + letter.charCodeAt(0);
const nested = (depth: number, letter: string): string => `${`{"${letter}":`.repeat(depth)}1${"}".repeat(depth)}`;

/** Pods that grow with a number in one way. The letter makes their texts differ: results are cached by text. */
const dimensions: Readonly<Record<string, (count: number, letter: string) => Pod>> = {
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
  "ports in an annotation": (count, letter) =>
    podOf({}, { "traffic.sidecar.istio.io/excludeInboundPorts": times(count, (at) => at + portOf(letter)).join(",") }),
  "user volumes": (count, letter) =>
    podOf(
      {},
      {
        "sidecar.istio.io/userVolume": JSON.stringify(
          times(count, (at) => ({ name: `${letter}-${at}`, emptyDir: {} })),
        ),
      },
    ),
  // Longer than what is cached in each of the three sizes.
  "proxy metadata": (count, letter) =>
    podOf(
      {},
      {
        "proxy.istio.io/config": `proxyMetadata:\n${times(count, (at) => `  V_${at}: ${letter.repeat(30)}\n`).join("")}`,
      },
    ),
  "pull secrets": (count) => podOf({ imagePullSecrets: times(count, (at) => ({ name: `s-${at}` })) }),
  "nesting of an annotation": (count, letter) => podOf({}, { "sidecar.istio.io/userVolume": nested(count, letter) }),
};

/** Pods that say of themselves that they were injected before, in any way that a status can say it. */
const claims: Readonly<Record<string, (count: number) => Pod>> = {
  "without a checksum": (count) => withStatus(count, (lists) => JSON.stringify(lists)),
  "with a checksum": (count) =>
    withStatus(count, (lists, notes) => {
      const checksum = checksumOf([...Object.values(lists), notes].join(";"));
      const record = Object.fromEntries([...notes, `checksum/${checksum}`].map((note) => [note, []]));
      return JSON.stringify({ ...lists, ...record });
    }),
};

type Lists = Readonly<Record<"initContainers" | "containers" | "volumes" | "imagePullSecrets", readonly string[]>>;

function withStatus(count: number, textOf: (lists: Lists, notes: readonly string[]) => string): Pod {
  const names = (prefix: string) => times(count, (at) => `${prefix}-${at}`);
  const lists: Lists = {
    initContainers: names("i"),
    containers: names("c"),
    volumes: names("v"),
    imagePullSecrets: names("s"),
  };
  const overrides = JSON.stringify({ containers: names("c").map((name) => ({ name, image: "app" })) });
  const notes = [
    ...names("labels/l"),
    ...names("annotations/a"),
    ...names("spec/f"),
    ...names("imagePullSecrets/s"),
    ...names("kept/volumes/v"),
    `order/containers/${names("c").toReversed().join(",")}`,
    `overrides/${checksumOf(overrides)}`,
  ];
  return {
    metadata: {
      name: "web",
      labels: Object.fromEntries(names("l").map((key) => [key, "x"])),
      annotations: {
        ...Object.fromEntries(names("a").map((key) => [key, "x"])),
        "sidecar.istio.io/status": textOf(lists, notes),
        "proxy.istio.io/overrides": overrides,
      },
    },
    spec: {
      ...Object.fromEntries(names("f").map((key) => [key, "x"])),
      containers: names("c").map((name) => ({ name, image: "app" })),
      initContainers: names("i").map((name) => ({ name, image: "app" })),
      volumes: names("v").map((name) => ({ name, emptyDir: {} })),
      imagePullSecrets: names("s").map((name) => ({ name })),
    },
  };
}

/** The checksum of lib/injector/undo/injection-status.ts: any author can calculate it. */
function checksumOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16);
}

/** Pods for which the rules of the API server have the most to compare. */
const validated: Readonly<Record<string, (count: number) => Pod>> = {
  "that is right": (count) =>
    podOf({
      containers: [
        { ...APP, volumeMounts: times(count, (at) => ({ name: `v-${at}`, mountPath: `/${at}` })) },
        ...times(count, (at) => ({ ...APP, name: `c-${at}` })),
      ],
      volumes: times(count, (at) => ({ name: `v-${at}`, emptyDir: {} })),
    }),
  "that is wrong in every part": (count) =>
    podOf({
      containers: [{ ...APP, volumeMounts: times(count, (at) => ({ name: `v-${at}`, mountPath: "/same" })) }],
      volumes: times(count, () => ({ name: "A", configMap: {} })),
    }),
};

const deployment = (at: number, variables = 3) => `# the ${at}th
apiVersion: apps/v1
kind: Deployment
metadata: {name: web-${at}}
spec:
  template:
    spec:
      containers:
      - name: web # ours
        image: "web:${at}"
        env:
${times(variables, (index) => `        - name: V_${index} # a comment\n          value: "${index}"\n`).join("")}`;

/** Manifests that grow with a number in one way. */
const manifests: Readonly<Record<string, (count: number) => string>> = {
  documents: (count) => times(count, (at) => deployment(at)).join("---\n"),
  "items of a List": (count) =>
    `kind: List\nitems:\n${times(count, (at) =>
      deployment(at)
        .replaceAll(/^(?=.)/gm, "  ")
        .replace("  apiVersion", "- apiVersion"),
    ).join("")}`,
  "lines of a document": (count) => deployment(1, 10 * count),
};

describe("one request", () => {
  const session = new Session();
  let handler: Handler;
  let injector: Injector;

  beforeAll(async () => {
    // A cache that begins a new generation during a request would count as that request's work.
    sharedMemory.limit(1_000_000_000);
    const release = compileRelease([await readSourceTree("templates")]);
    injector = loadRelease(release);
    handler = createHandler({ release, write: () => undefined });
    session.connect();
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  }, 60_000);

  afterAll(async () => {
    await session.post("Profiler.stopPreciseCoverage");
    session.disconnect();
  });

  /** Returns how often blocks of lib/ ran for a request, and the length of its answer. */
  async function measure(pod: Pod): Promise<{ readonly work: number; readonly answer: number }> {
    const { result, work } = await counted(() => request(pod));
    return { work, answer: result.body.length };
  }

  /** Makes a request that is not counted: going through all counters takes longer than a request. */
  function request(pod: Pod): ReturnType<Handler> {
    const review = {
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      request: { uid: "u", namespace: "shop", object: pod },
    };
    const body = JSON.stringify(review);
    const requestContext = { http: { method: "POST", path: "/inject" } };
    const headers = { "content-type": "application/json" };
    return handler({ rawPath: "/inject", headers, requestContext, body });
  }

  async function counted<Result>(run: () => Result) {
    await session.post("Profiler.takePreciseCoverage");
    const natives = countNatives();
    const result = await run();
    const scanned = natives.stop();
    const { result: scripts } = await session.post("Profiler.takePreciseCoverage");
    const blocks = scripts
      .filter(({ url }) => url.includes("/lib/"))
      .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges));
    return { result, work: blocks.reduce((sum, { count }) => sum + count, scanned) };
  }

  /**
   * Measures a request after everything that is made on first use is made, including what is made again for texts of
   * the same length.
   */
  async function settled(make: (count: number, letter: string) => Pod, count: number): ReturnType<typeof measure> {
    for (const letter of ["a", "b"]) await request(make(count, letter));
    const figures = await measure(make(count, "c"));
    expect(await measure(make(count, "d")), "the same work again").toEqual(figures);
    return figures;
  }

  it.each(Object.entries(claims))("undoes an injection in proportion to what a status names, %s", async (_, make) => {
    const works: number[] = [];
    await request(make(2));
    // Lists with so many changes are replaced (lib/pod/patch/create-patch.ts).
    for (const count of [2 * SIZE, 4 * SIZE, 8 * SIZE]) works.push((await measure(make(count))).work);
    const [small, middle, large] = works as [number, number, number];
    expect(large - middle).toBeLessThanOrEqual(MOST * (middle - small));
  });

  it.each(Object.entries(dimensions))("takes work and answers in proportion to its %s", async (_, make) => {
    await request(make(2, "a"));
    const small = await settled(make, SIZE);
    const middle = await settled(make, 2 * SIZE);
    const large = await settled(make, 4 * SIZE);
    for (const of of ["work", "answer"] as const) {
      const [first, second] = [middle[of] - small[of], large[of] - middle[of]];
      expect(small[of]).toBeGreaterThan(100);
      expect(second).toBeLessThanOrEqual(Math.max(NOTHING, MOST * first));
    }
  });

  it("does a fifth of the work for a pod whose replicas it has injected", async () => {
    const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web-1", uid: "u-1", controller: true };
    const replica: Pod = { ...podOf(), metadata: { generateName: "web-1-", ownerReferences: [owner] } };
    const figures: Awaited<ReturnType<typeof measure>>[] = [];
    for (let at = 0; at < 5; at++) figures.push(await measure(replica));
    const [, injected, remembered] = figures.map(({ work }) => work) as [number, number, number];
    expect(remembered).toBeLessThan(injected / 5);
    expect(new Set(figures.map(({ answer }) => answer)).size).toBe(1);
  });

  it.each(Object.entries(validated))("validates in proportion to its size a pod %s", async (_, make) => {
    const works: number[] = [];
    for (const count of [SIZE, 2 * SIZE, 4 * SIZE]) {
      const pod = make(count);
      validatePod(pod);
      const { work } = await counted(() => validatePod(pod));
      expect((await counted(() => validatePod(pod))).work).toBe(work);
      works.push(work);
    }
    const [small, middle, large] = works as [number, number, number];
    expect(small).toBeGreaterThan(100);
    expect(large - middle).toBeLessThanOrEqual(Math.max(NOTHING, MOST * (middle - small)));
  });

  it.each(Object.entries(manifests))("injects and uninjects manifests in proportion to their %s", async (_, make) => {
    const run = (text: string) => {
      const inject = (request: InjectRequest) => injectPod(injector, request);
      const injected = injectManifest(text, { source: "web.yaml", inject });
      return uninjectManifest(injected.text, injector, { source: "web.yaml" });
    };
    const works: number[] = [];
    run(make(2));
    for (const count of [3, 6, 12]) {
      const text = make(count);
      run(text);
      const { result, work } = await counted(() => run(text));
      expect(result.text).toBe(text);
      works.push(work);
    }
    const [small, middle, large] = works as [number, number, number];
    expect(small).toBeGreaterThan(100);
    expect(large - middle).toBeLessThanOrEqual(Math.max(NOTHING, MOST * (middle - small)));
  });
});

/** Native functions that go through a list. Copies made by `...` cannot be counted. */
const NATIVES = ["includes", "indexOf", "lastIndexOf", "splice", "toSpliced", "with"] as const;

/** Counts the items of the lists that native functions are called on, until it is stopped. */
function countNatives(): { readonly stop: () => number } {
  let scanned = 0;
  const originals = NATIVES.map((name) => [name, Object.getOwnPropertyDescriptor(Array.prototype, name)] as const);
  for (const [name, original] of originals) {
    const value = function (this: readonly unknown[], ...args: unknown[]): unknown {
      scanned += this.length;
      return Reflect.apply(original?.value, this, args);
    };
    Object.defineProperty(Array.prototype, name, { ...original, value });
  }
  return {
    stop: () => {
      for (const [name, original] of originals) Object.defineProperty(Array.prototype, name, original ?? {});
      return scanned;
    },
  };
}
