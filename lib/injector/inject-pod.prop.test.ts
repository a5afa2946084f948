import { defined, type JsonObject } from "@outrigger/base";
import { applyPatch, type Container, type Pod } from "@outrigger/pod";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { deepFreeze, RUNS } from "../../test/support/arbitrary-pod.ts";
import { shippedTreeUntried } from "../../test/support/shipped-tree.ts";
import { injectPod } from "./inject-pod.ts";
import type { Injector } from "./injection.ts";
import { compileRelease } from "./release/compile-release.ts";
import { loadRelease } from "./release/load-release.ts";

// Names of the shipped templates among them, so that author and injection meet.
const containerName = fc.constantFrom("app", "helper", "web", "setup", "istio-proxy", "enable-core-dump");
const volumeName = fc.constantFrom("data", "cfg", "istio-data", "istio-envoy", "workload-socket");
// Levels of Envoy and of its agent, names of images and of everything else.
const benign = fc.constantFrom("warn", "info", "error");
const hostile = fc.oneof(
  fc.constantFrom(
    "x\n  - name: evil",
    "}: {",
    "{{values}}",
    "'\"",
    "- a\n- b",
    "&a *a",
    "null",
    "~",
    "\ud800",
    "__proto__",
    "# c",
    "|-\n x",
    "$(POD_NAME)",
  ),
  fc.string({ maxLength: 12 }),
);

const probe = fc.oneof(
  fc.record({
    httpGet: fc.record({
      path: fc.constantFrom("/", "/ready"),
      port: fc.constantFrom<number | string>(8080, "http", "none", 15020),
    }),
  }),
  fc.record({ tcpSocket: fc.record({ port: fc.constantFrom<number | string>(8080, "http") }) }),
  fc.record({ exec: fc.constant({ command: ["true"] }) }),
);

const container = fc.record(
  {
    name: containerName,
    image: fc.constantFrom("auto", "registry.example/x:1"),
    env: fc
      .uniqueArray(fc.constantFrom("A", "B", "POD_NAME"), { maxLength: 3 })
      .map((names) => names.map((name) => ({ name, value: "v" }))),
    ports: fc.constant([{ name: "http", containerPort: 8080 }]),
    volumeMounts: fc
      .uniqueArray(fc.constantFrom("/data", "/cfg", "/etc/istio/pod"), { maxLength: 2 })
      .map((paths) => paths.map((mountPath) => ({ mountPath, name: "data" }))),
    readinessProbe: probe,
    livenessProbe: probe,
    securityContext: fc.constantFrom({ runAsUser: 2000 }, { runAsUser: 0, runAsGroup: 5 }),
  },
  { requiredKeys: ["name", "image"] },
);

const annotationsOf = (text: fc.Arbitrary<string>) =>
  fc.dictionary(
    fc.constantFrom(
      "example.com/note",
      "sidecar.istio.io/logLevel",
      "sidecar.istio.io/proxyImage",
      "sidecar.istio.io/bootstrapOverride",
      "sidecar.istio.io/agentLogLevel",
      "kubectl.kubernetes.io/default-container",
      "prometheus.io/path",
    ),
    text,
    { maxKeys: 4 },
  );

const templates = fc.constantFrom(undefined, "gateway", "grpc-agent", "grpc-simple", "sidecar,grpc-simple");

/** Pods that an API server takes: names of containers and volumes are unique. */
const podWith = (text: fc.Arbitrary<string>): fc.Arbitrary<Pod> =>
  fc
    .record({
      containers: fc.uniqueArray(container, { minLength: 1, maxLength: 5, selector: ({ name }) => name }),
      inits: fc.nat({ max: 2 }),
      volumes: fc.uniqueArray(volumeName, { maxLength: 3 }),
      annotations: annotationsOf(text),
      labels: fc.dictionary(fc.constantFrom("app", "version", "service.istio.io/canonical-name"), text, { maxKeys: 3 }),
      chosen: templates,
    })
    .map(({ containers, inits, volumes, annotations, labels, chosen }) => ({
      metadata: {
        name: "p",
        labels,
        annotations: { ...annotations, ...defined({ "inject.istio.io/templates": chosen }) },
      },
      spec: {
        containers: containers.slice(Math.min(inits, containers.length - 1)) as readonly Container[],
        ...(containers.length > 1 &&
          inits > 0 && {
            initContainers: containers.slice(0, Math.min(inits, containers.length - 1)) as readonly Container[],
          }),
        volumes: volumes.map((name) => ({ name, emptyDir: {} })),
      },
    }));

let injector: Injector;

beforeAll(async () => {
  injector = loadRelease(compileRelease([await shippedTreeUntried()]));
});

/** The pods of three properties are the same, because their seed is: each is injected once. */
const injectedPods = new Map<string, Pod>();

function inject(pod: Pod): Pod {
  const text = JSON.stringify(pod);
  const injected = injectedPods.get(text) ?? injectAgain(pod);
  if (injectedPods.size < 1000) injectedPods.set(text, injected);
  return injected;
}

function injectAgain(pod: Pod): Pod {
  const result = injectPod(injector, { pod, namespace: "shop", parameters: {} });
  if (!result.injected) throw new Error(result.reason);
  return applyPatch(pod as JsonObject, result.patch) as Pod;
}

const containersOf = (pod: Pod) => [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];

const namesIn = (list: readonly { readonly name: string }[] | undefined) => (list ?? []).map(({ name }) => name);

function isSubsequence(part: readonly unknown[], whole: readonly unknown[]): boolean {
  let at = 0;
  for (const item of whole) if (at < part.length && item === part[at]) at++;
  return at === part.length;
}

/** Paths to every node, without what a text says. */
function structure(value: unknown, path = ""): readonly string[] {
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, entry]) => structure(entry, `${path}/${key}`))];
}

describe("injectPod()", () => {
  it("changes nothing the second time, and no input ever", () => {
    fc.assert(
      fc.property(podWith(benign), (pod) => {
        const first = inject(deepFreeze(pod));
        const second = injectPod(injector, { pod: deepFreeze(first), namespace: "shop", parameters: {} });
        expect(second.injected && second.patch).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });

  it("gives no container another token than the injection's own", () => {
    let denied = 0;
    fc.assert(
      fc.property(podWith(benign), (pod) => {
        const volumes = [...(pod.spec?.volumes ?? []), { name: "istio-token", emptyDir: {} }];
        try {
          const injected = injectAgain({ ...pod, spec: { containers: [], ...pod.spec, volumes } });
          const mounts = containersOf(injected).flatMap(({ volumeMounts = [] }) => namesIn(volumeMounts));
          expect(mounts).not.toContain("istio-token");
        } catch (error) {
          expect(error).toMatchObject({ code: "pod-invalid", path: "spec.volumes" });
          denied += 1;
        }
      }),
      { numRuns: RUNS },
    );
    expect(denied).toBeGreaterThan(RUNS / 2);
  });

  it("loses and reorders nothing of the author's", () => {
    fc.assert(
      fc.property(podWith(benign), (pod) => {
        const injected = inject(pod);
        const foreign = (list: readonly Container[] | undefined) =>
          namesIn(list).filter((name) => name !== "istio-proxy" && name !== "enable-core-dump");
        expect(isSubsequence(foreign(pod.spec?.containers), namesIn(injected.spec?.containers))).toBe(true);
        expect(isSubsequence(foreign(pod.spec?.initContainers), namesIn(injected.spec?.initContainers))).toBe(true);
        expect(new Set(namesIn(injected.spec?.volumes))).toEqual(
          new Set([...namesIn(pod.spec?.volumes), ...namesIn(injected.spec?.volumes)]),
        );
        for (const authored of containersOf(pod)) {
          const found = containersOf(injected).find(({ name }) => name === authored.name);
          expect(isSubsequence(namesIn(authored.env), namesIn(found?.env))).toBe(true);
          expect(new Set(found?.volumeMounts?.map(({ mountPath }) => mountPath))).toEqual(
            new Set(
              [...(authored.volumeMounts ?? []), ...(found?.volumeMounts ?? [])].map(({ mountPath }) => mountPath),
            ),
          );
        }
        for (const [key, value] of Object.entries(pod.metadata?.annotations ?? {})) {
          if (!key.startsWith("prometheus.io/")) expect(injected.metadata?.annotations?.[key]).toBe(value);
        }
        for (const key of Object.keys(pod.metadata?.labels ?? {}))
          expect(injected.metadata?.labels?.[key]).toBeDefined();
      }),
      { numRuns: RUNS },
    );
  });

  it("gives no container, volume or mount a name that is taken", () => {
    fc.assert(
      fc.property(podWith(benign), (pod) => {
        const injected = inject(pod);
        const lists = [
          namesIn(containersOf(injected)),
          namesIn(injected.spec?.volumes),
          ...containersOf(injected).map(({ volumeMounts }) => (volumeMounts ?? []).map(({ mountPath }) => mountPath)),
          ...containersOf(injected).map(({ env }) => namesIn(env)),
        ];
        for (const list of lists) expect(new Set(list).size).toBe(list.length);
      }),
      { numRuns: RUNS },
    );
  });

  it("keeps a hostile value to its own place", () => {
    fc.assert(
      fc.property(podWith(hostile), (pod) => {
        const replaced = (map: Readonly<Record<string, string>> | undefined) =>
          Object.fromEntries(
            Object.entries(map ?? {}).map(([key, value]) => [
              key,
              key === "inject.istio.io/templates" ? value : benignLike(key, value),
            ]),
          );
        const tame: Pod = {
          ...pod,
          metadata: {
            ...pod.metadata,
            labels: replaced(pod.metadata?.labels),
            annotations: replaced(pod.metadata?.annotations),
          },
        };
        expect(structureOf(pod)).toEqual(structureOf(tame));
      }),
      { numRuns: RUNS },
    );
  });
});

/**
 * Returns the structure of the injected pod. It is injected as the reference does, which also makes pods that an API
 * server would reject: whether it would depends on the value.
 */
function structureOf(pod: Pod): readonly string[] {
  const reference: Injector = { ...injector, config: { ...injector.config, compatibility: "reference" } };
  const result = injectPod(reference, { pod, namespace: "shop", parameters: {} });
  if (!result.injected) throw new Error(result.message);
  return [...structure(result.pod)].sort();
}

/** A harmless value that takes the same branches: empty stays empty, a path keeps its slash. */
function benignLike(key: string, value: string): string {
  if (value === "") return "";
  return key === "sidecar.istio.io/proxyImage" && value.includes("/") ? "a/b" : "tame";
}
