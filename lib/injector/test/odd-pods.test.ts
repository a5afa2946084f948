// Pods with a null or a value of the wrong type in any place. An API server sends no such pod, and readers of manifests
// decode first; but nothing about a pod may look like a bug, and a null that stays must not make a second injection differ.
// `OUTRIGGER_ODD_VALUES=all npx vitest run --project unit lib/injector/test/odd-pods` tries every value in every place.

import { type JsonObject, type JsonValue, OutriggerError } from "@outrigger/base";
import { checkPod, type Pod, validatePod } from "@outrigger/pod";
import { beforeAll, describe, expect, it } from "vitest";
import { shippedTree } from "../../../test/support/shipped-tree.ts";
import { decodePod } from "../decode-pod.ts";
import { injectPod } from "../inject-pod.ts";
import type { Injector } from "../injection.ts";
import { compileRelease } from "../release/compile-release.ts";
import { loadRelease } from "../release/load-release.ts";

type Step = string | number;

const ODD: readonly JsonValue[] = [
  ["x"],
  { x: 1 },
  7,
  [null],
  "x",
  { "0": { name: "istio-proxy" } },
  true,
  [[]],
  { length: 1 },
  "",
  [{}],
  0,
  1e60,
  -1,
  0.5,
];
/** The number of values that are tried in one place. Each place gets a different run of them. */
const TRIED = process.env["OUTRIGGER_ODD_VALUES"] === "all" ? ODD.length : 1;
const AUTHORS_FAULTS: readonly string[] = ["annotation-invalid", "pod-invalid", "template-unknown"];

const PROBES = {
  livenessProbe: { httpGet: { path: "/", port: "http", httpHeaders: [{ name: "A", value: "b" }] }, timeoutSeconds: 3 },
  readinessProbe: { tcpSocket: { port: 8080 } },
  startupProbe: { grpc: { port: 80 } },
  lifecycle: { preStop: { httpGet: { port: 80 } }, postStart: { tcpSocket: { port: 90 } } },
};
const CONTAINER = {
  image: "app",
  ports: [{ name: "http", containerPort: 8080 }],
  env: [
    { name: "A", value: "b" },
    { name: "B", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
  ],
  resources: { limits: { cpu: "1" } },
  volumeMounts: [{ name: "data", mountPath: "/d" }],
  securityContext: { runAsUser: 1, capabilities: { add: ["NET_ADMIN"] } },
};
/** A pod that has something in each place that an injection reads or merges into. */
const POD: JsonObject = {
  metadata: {
    name: "web",
    labels: { app: "web" },
    annotations: { "prometheus.io/scrape": "true", "sidecar.istio.io/userVolume": '{"v":{"emptyDir":{}}}' },
    ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web-1", uid: "1", controller: true }],
  },
  spec: {
    initContainers: [{ name: "setup", ...CONTAINER }],
    containers: [
      { name: "app", ...CONTAINER, ...PROBES },
      { name: "istio-proxy", image: "auto", env: [{ name: "A", value: "b" }], securityContext: { runAsUser: 1 } },
    ],
    volumes: [
      { name: "data", emptyDir: {} },
      { name: "istio-token", projected: { sources: [{ secret: { name: "s" } }] } },
    ],
    imagePullSecrets: [{ name: "own" }],
    securityContext: { fsGroup: 1, supplementalGroups: [1] },
    dnsConfig: { searches: ["a.b"], options: [{ name: "ndots", value: "2" }] },
    tolerations: [{ key: "a", operator: "Exists" }],
    hostNetwork: false,
  },
};
/** Templates that add to different lists: what one of them leaves alone must stay as it was. */
const TEMPLATES: readonly string[] = ["sidecar", "grpc-agent", "label"];

let injector: Injector;

beforeAll(async () => {
  const shipped = Object.entries(await shippedTree());
  const layer = Object.fromEntries(
    shipped.filter(([path]) => !path.startsWith("samples/") || path === "samples/plain-pod"),
  );
  injector = loadRelease(compileRelease([layer, { "templates/label": "metadata: {labels: {a: b}}\n" }]));
});

function inject(pod: JsonObject) {
  const result = injectPod(injector, { pod: pod as Pod, namespace: "shop", parameters: {} });
  if (!result.injected) throw new Error(result.message);
  return result;
}

/** Whether a pod can be decoded as an API server decodes it. */
function isDecoded(pod: JsonObject): boolean {
  try {
    decodePod(pod, "encoded");
    return true;
  } catch {
    return false;
  }
}

/** The value's own place, and all places in it. */
function placesIn(value: JsonValue | undefined, place: readonly Step[] = []): readonly (readonly Step[])[] {
  if (typeof value !== "object" || value === null) return [place];
  const keys = Array.isArray(value) ? value.keys() : Object.keys(value);
  return [place, ...[...keys].flatMap((key) => placesIn((value as JsonObject)[key], [...place, key]))];
}

function withValue(at: JsonValue | undefined, [step, ...rest]: readonly Step[], value: JsonValue): JsonValue {
  if (step === undefined) return value;
  if (Array.isArray(at)) return at.with(step as number, withValue(at[step as number], rest, value));
  return { ...(at as JsonObject), [step]: withValue((at as JsonObject)[step], rest, value) };
}

function valueAt(place: readonly Step[]): JsonValue | undefined {
  return place.reduce<JsonValue | undefined>((at, step) => (at as JsonObject)[step], POD);
}

const PLACES = placesIn(POD).filter((place) => place.length > 0);

describe("a pod with a value of the wrong type", () => {
  const pods = PLACES.flatMap((place, at) =>
    Array.from({ length: TRIED }, (_, nth) => ODD[(at * TRIED + nth) % ODD.length] as JsonValue).map((value) => ({
      title: `${place.join(".")} = ${JSON.stringify(value)}`,
      pod: withValue(POD, place, value) as JsonObject,
    })),
  );

  it("is injected as far as it goes, or its field is named", () => {
    const faults = pods.flatMap(({ title, pod }) => {
      try {
        injectPod(injector, { pod: pod as Pod, namespace: "shop", parameters: {} });
        return [];
      } catch (error) {
        const isAuthors = error instanceof OutriggerError && AUTHORS_FAULTS.includes(error.code);
        return isAuthors && error.path !== undefined ? [] : [`${title}: ${String(error)}`];
      }
    });
    expect(faults).toEqual([]);
  });

  it("is read by the rules without an exception", () => {
    for (const { title, pod } of pods) expect(() => [checkPod(pod), validatePod(pod)], title).not.toThrow();
  });

  it("names the init list that is an object", () => {
    const pod = withValue(POD, ["spec", "initContainers"], { "0": { name: "a" } }) as JsonObject;
    expect(() => inject(pod)).toThrow(
      expect.objectContaining({
        code: "pod-invalid",
        path: "spec.initContainers",
        message: expect.stringContaining("must be a list"),
      }),
    );
  });
});

describe("a pod with a null or an empty list", () => {
  it.each(TEMPLATES)("gets an empty patch the second time from template %s", (template) => {
    const faults = PLACES.filter((place) => typeof place.at(-1) === "string").flatMap((place) =>
      [null, ...(Array.isArray(valueAt(place)) ? [[]] : [])].flatMap((value) => {
        const odd = withValue(POD, place, value) as JsonObject;
        const annotations = { ...(odd as Pod).metadata?.annotations, "inject.istio.io/templates": template };
        const asking = { ...odd, metadata: { ...(odd["metadata"] as JsonObject), annotations } };
        if (!isDecoded(asking) || validatePod(asking, { isTemplate: true }).length > 0) return [];
        const first = inject(asking);
        const { patch } = inject(first.pod as JsonObject);
        return patch.length === 0 ? [] : [`${place.join(".")} = ${JSON.stringify(value)}: ${patch[0]?.path}`];
      }),
    );
    expect(faults).toEqual([]);
  });
});
