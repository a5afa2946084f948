import { describe, expect, it } from "vitest";
import { podCases, realPods } from "../../../test/pod-validation/pod-cases.ts";
import type { JsonObject, JsonValue } from "../../json.ts";
import { checkPod } from "../check-pod.ts";
import { introducedViolations, validatePod } from "./validate-pod.ts";

const cases = podCases();

describe("validatePod()", () => {
  it("refuses what the API server's own validation refuses, and nothing else", () => {
    expect(cases.length).toBeGreaterThan(1600);
    const different = cases.filter(({ pod, refusal }) => isRefused(pod) !== (refusal !== null));
    expect(different.map(({ title }) => title)).toEqual([]);
  });

  it("reports a refusal at the field that the API server names", () => {
    const elsewhere = cases.filter(({ pod, refusal }) => {
      if (refusal === null || refusal.length === 1) return false;
      return !validatePod(pod).some(({ path }) => isNear(path, refusal[0]));
    });
    expect(elsewhere.map(({ title, refusal }) => `${refusal} ${title}`)).toEqual([]);
  });

  it("refuses no pod of public manifests that an API server accepts", () => {
    const pods = realPods();
    expect(pods.filter(({ verdict }) => verdict === "accepted").length).toBeGreaterThan(300);
    const different = pods.filter(({ verdict, pod }) => isRefused(pod) !== (verdict === "refused"));
    expect(different.map(({ pod }) => pod)).toEqual([]);
  });

  it("takes addresses with leading zeros, which only Kubernetes 1.36 refuses", () => {
    for (const address of ["010.0.0.1", "::ffff:10.0.0.1"]) {
      const spec = { containers: [{ name: "a", image: "b" }], hostAliases: [{ ip: address }] };
      expect(validatePod({ metadata: { name: "a" }, spec })).toEqual([]);
    }
  });

  it("asks a template for no name", () => {
    const template = { spec: { containers: [{ name: "a", image: "b" }] } };
    expect(validatePod(template).map(({ path }) => path)).toEqual(["metadata.name"]);
    expect(validatePod(template, { isTemplate: true })).toEqual([]);
  });

  it("reports the path, the reason and what to do, and never a value", () => {
    const env = [{ name: "A", value: "s3cret", valueFrom: { fieldRef: { fieldPath: "spec.foo" } } }];
    const spec = { containers: [{ name: "a", image: "b", imagePullPolicy: "IfNotPresnt", env }] };
    expect(
      validatePod({ metadata: { name: "a" }, spec }).map(({ path, code, message }) => ({ path, code, message })),
    ).toEqual([
      {
        path: "spec.containers[0].imagePullPolicy",
        code: "not-supported",
        message: "must be one of Always, IfNotPresent, Never",
      },
      {
        path: "spec.containers[0].env[0].valueFrom",
        code: "invalid",
        message: "must not be set when value is: remove one of them",
      },
      {
        path: "spec.containers[0].env[0].valueFrom.fieldRef.fieldPath",
        code: "not-supported",
        message: expect.stringContaining("must be one of metadata.name, metadata.namespace,"),
      },
    ]);
  });

  it("reports at most 50 violations, quickly, of a pod that is wrong in every part", () => {
    const volumes = Array.from({ length: 20_000 }, () => ({ name: "A", configMap: {} }));
    const volumeMounts = volumes.map((_, at) => ({ name: `v${at}`, mountPath: "/same" }));
    const spec = { containers: [{ name: "a", image: "b", volumeMounts }], volumes };
    const started = performance.now();
    expect(validatePod({ metadata: { name: "a" }, spec })).toHaveLength(50);
    expect(performance.now() - started).toBeLessThan(1000);
  });

  it("takes long lists in linear time", () => {
    const volumes = Array.from({ length: 20_000 }, (_, at) => ({ name: `v${at}`, emptyDir: {} }));
    const volumeMounts = volumes.map(({ name }) => ({ name, mountPath: `/${name}` }));
    const containers = Array.from({ length: 2000 }, (_, at) => ({ name: `c${at}`, image: "b" }));
    const spec = { containers: [{ name: "a", image: "b", volumeMounts }, ...containers], volumes };
    const started = performance.now();
    expect(validatePod({ metadata: { name: "a" }, spec })).toEqual([]);
    expect(performance.now() - started).toBeLessThan(1000);
  });

  it("throws on no value, whatever its type", () => {
    for (const wrong of [null, 1, "x", [], {}, [null], [[]], { a: null }, true]) {
      for (const { pod } of cases.slice(0, 1)) {
        forEachPath(pod, [], (path) => expect(() => validatePod(replace(pod, path, wrong as JsonValue))).not.toThrow());
      }
    }
  });
});

describe("introducedViolations()", () => {
  it("finds what a change brings into a pod that was fine, though it reads only what changed", () => {
    const different = cases.filter(({ base, pod }) => {
      return introducedViolations(pod, base).length > 0 !== validatePod(pod).length > 0;
    });
    expect(different.map(({ title }) => title)).toEqual([]);
  });

  it("leaves out what was wrong before, when something is injected before, after and into it", () => {
    const blamed = cases.filter(({ pod, refusal }) => {
      return refusal !== null && canBeInjected(pod) && introducedViolations(inject(pod), pod).length > 0;
    });
    expect(blamed.map(({ title }) => title)).toEqual([]);
  });

  it("finds a mount that lost its volume, in a container that is as before", () => {
    const app = { name: "a", image: "b", volumeMounts: [{ name: "v", mountPath: "/v" }] };
    const before = { metadata: { name: "a" }, spec: { containers: [app], volumes: [{ name: "v", emptyDir: {} }] } };
    const after = { ...before, spec: { ...before.spec, volumes: [] } };
    expect(introducedViolations(after, before).map(({ path, code }) => [path, code])).toEqual([
      ["spec.containers[0].volumeMounts[0].name", "not-found"],
    ]);
  });

  it("finds the second of two violations that are alike", () => {
    const wrong = { name: "a", image: "b", env: [{ name: "A=" }] };
    const before = { metadata: { name: "a" }, spec: { containers: [wrong] } };
    const after = { ...before, spec: { containers: [{ ...wrong, env: [...wrong.env, { name: "A=" }] }] } };
    expect(introducedViolations(after, before)).toHaveLength(1);
  });

  it("reads nothing where nothing changed", () => {
    for (const { pod } of cases) expect(introducedViolations({ ...pod }, pod)).toEqual([]);
  });
});

function isRefused(pod: JsonObject): boolean {
  return validatePod(pod).length > 0 || checkPod(pod).length > 0;
}

/** Where the API server names a field of its own types, and we the one of the document. */
const OWN_NAMES: Readonly<Record<string, string>> = {
  "metadata.name": "metadata.generateName",
  "spec.resources.containers": "spec.containers",
  "spec.securityContext.shareProcessNamespace": "spec.shareProcessNamespace",
  "spec.HostPID": "spec.hostPID",
  "spec.HostIPC": "spec.hostIPC",
  "spec.serviceAccountName": "spec.serviceAccount",
};

/** The same field, or one in it: the API server often names only the object or the list. */
function isNear(path: string, field: string): boolean {
  return (
    startsAlike(path, field) ||
    Object.entries(OWN_NAMES).some(([from, to]) => field.startsWith(from) && path.startsWith(to))
  );
}

function startsAlike(path: string, field: string): boolean {
  const [ours, theirs] = [stepsOf(path), stepsOf(field)];
  const depth = Math.min(ours.length, theirs.length, 2);
  return ours.slice(0, depth).join(".") === theirs.slice(0, depth).join(".");
}

function stepsOf(path: string): readonly string[] {
  return path
    .replace(/\[.*?\]/g, "")
    .split(".")
    .filter((step) => step !== "");
}

function canBeInjected(pod: JsonObject): boolean {
  const spec = pod["spec"] as JsonObject | null | undefined;
  return (
    Array.isArray(spec?.["containers"]) && spec["containers"].every((each) => typeof each === "object" && each !== null)
  );
}

/** As an injection does: a container and a volume first and last, a variable in every container. */
function inject(pod: JsonObject): JsonObject {
  const spec = pod["spec"] as JsonObject;
  const sidecar = { name: "injected", image: "proxy:1", volumeMounts: [{ name: "injected", mountPath: "/injected" }] };
  const variable = { name: "INJECTED", value: "1" };
  const containers = spec["containers"] as readonly JsonObject[];
  const changed = containers.map((each) => ({
    ...each,
    env: [variable, ...((each["env"] as JsonValue[] | undefined) ?? [])],
  }));
  const volumes = (spec["volumes"] as JsonValue[] | null | undefined) ?? [];
  return {
    ...pod,
    spec: { ...spec, containers: [sidecar, ...changed], volumes: [{ name: "injected", emptyDir: {} }, ...volumes] },
  };
}

function forEachPath(
  value: JsonValue | undefined,
  path: readonly string[],
  visit: (path: readonly string[]) => void,
): void {
  visit(path);
  if (typeof value !== "object" || value === null) return;
  for (const [key, each] of Object.entries(value)) forEachPath(each as JsonValue, [...path, key], visit);
}

function replace(value: JsonValue | undefined, path: readonly string[], by: JsonValue): JsonValue {
  const [step, ...rest] = path;
  if (step === undefined) return by;
  if (Array.isArray(value)) return value.with(Number(step), replace(value[Number(step)], rest, by));
  return { ...(value as JsonObject), [step]: replace((value as JsonObject)[step], rest, by) };
}
