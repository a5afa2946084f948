import { isObject, type JsonObject, type JsonValue, objectOf, objectsOf } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { CREATED_IN, createdPods, reviewPods } from "../../../test/pod-validation/admitted-pods.ts";
import type { Pod } from "../generated/pod-types.ts";
import { containersOf } from "../read-object.ts";
import { isDefaulted } from "../schema/defaults.ts";
import { validatePod } from "../validate/validate-pod.ts";
import { admittedForm } from "./admitted-form.ts";

const reviews = reviewPods();
const titled = reviews.map(({ pod, namespace }, index) => {
  const { name, generateName } = pod.metadata ?? {};
  return { title: `${index} ${name ?? generateName}`, pod, namespace };
});

describe("admittedForm()", () => {
  it("has 76 requests to judge by", () => {
    expect(reviews).toHaveLength(76);
  });

  it.each(titled)("is the pod itself for the pod that a webhook was sent: $title", ({ pod, namespace }) => {
    expect(admittedForm(pod, { namespace })).toEqual(pod);
    expect(validatePod(pod)).toEqual([]);
  });

  it.each(titled)("gives back what is left out of a pod that a webhook was sent: $title", ({ pod, namespace }) => {
    const short = stripped(pod as JsonObject);
    expect(JSON.stringify(short).length).toBeLessThan(JSON.stringify(pod).length / 1.5);
    expect(renamed(admittedForm(short as Pod, { namespace }))).toEqual(renamed(pod));
  });

  it("is what an API server makes of each pod that it creates", () => {
    const created = createdPods();
    expect(created).toHaveLength(406);
    for (const { written, admitted } of created) {
      expect(admittedForm(written as Pod, { namespace: CREATED_IN })).toEqual(admitted);
    }
  });

  it("gives a pod without a namespace that of the request, and keeps the pod's own", () => {
    expect(admittedForm({ spec: { containers: [] } }, { namespace: "shop" }).metadata).toEqual({ namespace: "shop" });
    const own = { metadata: { namespace: "own" } };
    expect(admittedForm(own, { namespace: "shop" })).toEqual(own);
  });

  it("gives a mirror pod no service account", () => {
    const metadata = { name: "m", namespace: "a", annotations: { "kubernetes.io/config.mirror": "x" } };
    const { spec } = admittedForm({ metadata, spec: { containers: [{ name: "a" }] } }, { namespace: "a" });
    expect(spec).not.toHaveProperty("serviceAccountName");
    expect(spec).not.toHaveProperty("volumes");
  });
});

/** The pod as its author would write it: without what the table of defaults has, and what the admission plugins add. */
function stripped(pod: JsonObject): JsonObject {
  const { volumes, tolerations, ...spec } = objectOf(pod["spec"]);
  const isOwn = ({ name }: JsonObject) => !String(name).startsWith("kube-api-access-");
  const left = {
    volumes: objectsOf(volumes).filter(isOwn),
    tolerations: objectsOf(tolerations).filter(({ tolerationSeconds }) => tolerationSeconds !== 300),
  };
  return { ...pod, spec: strip({ ...spec, ...left }, ["spec"]) };
}

/** Field → what the plugins write there where the author wrote nothing. */
const BY_PLUGINS: Readonly<Record<string, readonly JsonValue[]>> = {
  priority: [0],
  preemptionPolicy: ["PreemptLowerPriority"],
  serviceAccount: ["default", "web"],
  serviceAccountName: ["default"],
  imagePullPolicy: ["IfNotPresent"],
};

const EMPTY_BY_DEFAULT: readonly string[] = ["emptyDir", "resources", "securityContext"];

function strip(value: JsonValue, path: readonly (string | number)[]): JsonValue {
  if (Array.isArray(value)) {
    const items = value.filter((item) => !String(objectOf(item)["name"]).startsWith("kube-api-access-"));
    return items.map((item, index) => strip(item, [...path, index]));
  }
  if (!isObject(value)) return value;
  const kept: Record<string, JsonValue> = {};
  for (const [key, inner] of Object.entries(value)) {
    if (inner === undefined || BY_PLUGINS[key]?.includes(inner) === true || isDefaulted([...path, key], inner))
      continue;
    if (EMPTY_BY_DEFAULT.includes(key) && isEmpty(inner)) continue;
    const left = strip(inner, [...path, key]);
    if (!Array.isArray(left) || left.length > 0) kept[key] = left;
  }
  return kept;
}

function isEmpty(value: JsonValue): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

/** With one name for the volume that is generated. */
function renamed(pod: Pod): unknown {
  const text = JSON.stringify(pod).replaceAll(/kube-api-access-\w{5}/g, "kube-api-access");
  expect(containersOf(pod.spec).length).toBeGreaterThan(0);
  return JSON.parse(text);
}
