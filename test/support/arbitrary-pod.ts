// Generators for property tests: pods, overlays with directives, arbitrary JSON, and freezing.

import type { JsonObject, JsonValue } from "@outrigger/base";
import fc from "fast-check";

/** The number of times that each property is tried. */
export const RUNS = Number(process.env["OUTRIGGER_PROPERTY_RUNS"] ?? 300);

const name = fc.constantFrom("a", "b", "c", "istio-proxy");
const text = fc.oneof(
  fc.constantFrom("", "x", "on", "a: b\nc: d", "{{x}}", "~1/~0", "\ud800", "__proto__"),
  fc.string({ maxLength: 8 }),
);
const key = fc.oneof(
  fc.constantFrom("a", "b", "app", "x/y", "m~n", "__proto__", "constructor", "toString", ""),
  fc.string({ maxLength: 4 }),
);
const texts = fc.dictionary(key, text, { maxKeys: 4, noNullPrototype: true });

function optional<T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }, required: readonly (keyof T & string)[]) {
  return fc.record(fields, { requiredKeys: [...required] as never[] }) as unknown as fc.Arbitrary<JsonObject>;
}

const envVar = optional({ name, value: text, valueFrom: fc.constant({ fieldRef: { fieldPath: "metadata.name" } }) }, [
  "name",
]);
const port = optional({ containerPort: fc.constantFrom(80, 53, 443), protocol: fc.constantFrom("TCP", "UDP") }, [
  "containerPort",
]);
const mount = optional({ mountPath: fc.constantFrom("/a", "/b"), name, readOnly: fc.boolean() }, ["mountPath", "name"]);
const probe = optional(
  {
    httpGet: fc.record({ path: text, port: fc.oneof(fc.constantFrom("http"), fc.constantFrom(80, 8080)) }),
    periodSeconds: fc.nat({ max: 9 }),
  },
  [],
);

const container = optional(
  {
    name,
    image: text,
    args: fc.array(text, { maxLength: 3 }),
    env: fc.array(envVar, { maxLength: 5 }),
    ports: fc.array(port, { maxLength: 4 }),
    volumeMounts: fc.array(mount, { maxLength: 3 }),
    resources: optional({ limits: fc.constantFrom({ cpu: "1" }, { cpu: "100m", memory: "1Gi" }) }, []),
    livenessProbe: probe,
    securityContext: optional({ runAsUser: fc.nat({ max: 3 }), privileged: fc.boolean() }, []),
  },
  ["name"],
);

const volume = fc.oneof(
  fc.record({ name, emptyDir: fc.constant({}) }),
  fc.record({ name, secret: fc.record({ secretName: name }) }),
) as fc.Arbitrary<JsonObject>;

const podSpec = optional(
  {
    containers: fc.array(container, { maxLength: 4 }),
    initContainers: fc.array(container, { maxLength: 3 }),
    volumes: fc.array(volume, { maxLength: 4 }),
    tolerations: fc.array(fc.record({ key: text }), { maxLength: 2 }),
    nodeSelector: texts,
    securityContext: optional({ fsGroup: fc.nat({ max: 3 }), supplementalGroups: fc.array(fc.nat({ max: 3 })) }, []),
    hostNetwork: fc.boolean(),
  },
  ["containers"],
);

/** Pods with few distinct names, so that items meet; duplicates of merge keys and strange texts included. */
export const arbitraryPod: fc.Arbitrary<JsonObject> = fc.record({
  metadata: optional({ name, labels: texts, annotations: texts, finalizers: fc.array(name, { maxLength: 3 }) }, []),
  spec: podSpec,
});

/** Overlays without directives. */
export const arbitraryOverlay: fc.Arbitrary<JsonObject> = optional(
  {
    metadata: optional({ labels: texts, annotations: texts }, []),
    spec: optional(
      {
        containers: fc.array(container, { maxLength: 3 }),
        volumes: fc.array(volume, { maxLength: 2 }),
        securityContext: fc.constant({ fsGroup: 7 }),
      },
      [],
    ),
  },
  [],
);

/** Any JSON object, with the keys that trip JavaScript up. */
export const arbitraryObject: fc.Arbitrary<JsonObject> = fc.letrec<{ value: JsonValue; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    text,
    fc.constantFrom(null, true, false, 0, -1, 1.5, 1e21),
    fc.array(tie("value"), { maxLength: 4 }),
    tie("object"),
  ),
  object: fc.dictionary(key, tie("value"), { maxKeys: 5, noNullPrototype: true }),
})).object;

/** Freezes a JSON value and everything in it: a write throws. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const entry of Object.values(value)) deepFreeze(entry);
  }
  return value;
}
