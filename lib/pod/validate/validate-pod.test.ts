import type { JsonObject, JsonValue } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { podCases, realPods } from "../../../test/pod-validation/pod-cases.ts";
import { parseFieldPath } from "../field-path.ts";
import { POD_DEFINITIONS } from "../generated/pod-schema.ts";
import { checkPod } from "../schema/check-pod.ts";
import { readSchema, type TypeSchema } from "../schema/schema.ts";
import { introducedViolations, validatePod } from "./validate-pod.ts";

const cases = podCases();
const podSchema = readSchema(POD_DEFINITIONS, "Pod");

describe("introducedViolations() of items without names", () => {
  it("reports a wrong item that takes the place of another wrong one", () => {
    const podWith = (...ports: readonly JsonObject[]) => ({
      metadata: { name: "a" },
      spec: { containers: [{ name: "a", image: "i", ports }] },
    });
    const [old, other] = [{ containerPort: 70000 }, { containerPort: 80000 }];
    expect(introducedViolations(podWith(other), podWith(old))).toHaveLength(1);
    expect(introducedViolations(podWith(other, { ...old }), podWith(old))).toHaveLength(1);
    expect(introducedViolations(podWith({ containerPort: 1 }, { ...old }), podWith(old))).toEqual([]);
  });

  it("cuts a long name in its message", () => {
    const mounts = [{ name: "v".repeat(150), mountPath: "/a" }];
    const [violation] = validatePod({
      metadata: { name: "a" },
      spec: { containers: [{ name: "a", image: "i", volumeMounts: mounts }] },
    });
    expect(violation?.message).toContain(`"${"v".repeat(100)}…"`);
  });
});

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

  it("reports every violation at a field that a Pod has", () => {
    // A pod that could not even be read may have fields that no Pod has.
    const readable = cases.filter(({ refusal }) => refusal?.length !== 1);
    const paths = new Set(readable.flatMap(({ pod }) => validatePod(pod).map(({ path }) => path)));
    expect(paths.size).toBeGreaterThan(300);
    expect([...paths].filter((path) => !isField(path))).toEqual([]);
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

  const podWith = (container: JsonObject, spec: JsonObject = {}): JsonObject => ({
    metadata: { name: "a" },
    spec: { containers: [{ name: "a", image: "b", ...container }], ...spec },
  });
  const exits = (count: number) => ({
    restartPolicy: "Never",
    restartPolicyRules: [{ action: "Restart", exitCodes: { operator: "In", values: Array<number>(count).fill(1) } }],
  });
  const claim = {
    metadata: { labels: { "-": "" } },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  };

  it.each<[string, JsonObject, readonly string[]]>([
    [
      "rules without a policy",
      podWith({ restartPolicyRules: [{ action: "Restart", exitCodes: { operator: "In" } }] }),
      ["spec.containers[0].restartPolicy required"],
    ],
    ["as many exit codes as may be", podWith(exits(255)), []],
    ["one exit code more", podWith(exits(256)), ["spec.containers[0].restartPolicyRules[0].exitCodes.values too-many"]],
    [
      "a gate that is listed twice",
      podWith({}, { schedulingGates: [{ name: "x" }, { name: "x" }] }),
      ["spec.schedulingGates[1].name duplicate"],
    ],
    [
      "a gate with a bad name",
      podWith({}, { schedulingGates: [{ name: "-" }] }),
      ["spec.schedulingGates[0].name invalid"],
    ],
    [
      "a claim with a bad label",
      podWith({}, { volumes: [{ name: "v", ephemeral: { volumeClaimTemplate: claim } }] }),
      ["spec.volumes[0].ephemeral.volumeClaimTemplate.metadata.labels.- invalid"],
    ],
    [
      "a container over the pod's limit",
      podWith({ resources: { limits: { cpu: "2" }, requests: { cpu: "0" } } }, { resources: { limits: { cpu: "1" } } }),
      ["spec.containers[0].resources.limits.cpu invalid"],
    ],
    [
      "a request under 0",
      podWith({ resources: { requests: { cpu: "-1" } } }),
      ["spec.containers[0].resources.requests.cpu invalid"],
    ],
    [
      "a container without a name",
      { metadata: { name: "a" }, spec: { containers: [{ image: "b" }] } },
      ["spec.containers[0].name required"],
    ],
    [
      "a host port that is used twice",
      podWith({
        ports: [
          { containerPort: 3, hostPort: 9 },
          { containerPort: 4, hostPort: 9 },
        ],
      }),
      ["spec.containers[0].ports[1].hostPort duplicate"],
    ],
  ])("reports %s once, with its path", (_, pod, expected) => {
    expect(validatePod(pod).map(({ path, code }) => `${path} ${code}`)).toEqual(expected);
  });

  it("reports at most 50 violations of a pod that is wrong in every part", () => {
    const volumes = Array.from({ length: 20_000 }, () => ({ name: "A", configMap: {} }));
    const volumeMounts = volumes.map((_, at) => ({ name: `v${at}`, mountPath: "/same" }));
    const spec = { containers: [{ name: "a", image: "b", volumeMounts }], volumes };
    expect(validatePod({ metadata: { name: "a" }, spec })).toHaveLength(50);
  });

  it("throws on no value, whatever its type", () => {
    // The text of an object is what its own toString gives: here it is no function.
    const hostile = { toString: 1 };
    for (const wrong of [null, 1, "x", [], {}, [null], [[]], { a: null }, true, hostile, [hostile], { cpu: hostile }]) {
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

  it.each([
    "topologySpreadConstraints",
    "schedulingGates",
    "resources",
    "dnsConfig",
    "hostAliases",
    "tolerations",
    "affinity",
    "nodeSelector",
    "overhead",
    "readinessGates",
    "imagePullSecrets",
  ])("does not read %s again where they are the same nodes as before", (field) => {
    const unread = (node: object) =>
      new Proxy(node, {
        get: (_, key) => {
          throw new Error(`read ${field}.${String(key)}`);
        },
        ownKeys: () => {
          throw new Error(`read the keys of ${field}`);
        },
      });
    const lists = /(Constraints|Gates|Aliases|tolerations|Secrets)$/.test(field);
    const spec = { containers: [{ name: "a", image: "b" }], [field]: unread(lists ? [] : {}) };
    const pod = (annotations: object) => ({ metadata: { name: "a", annotations }, spec: { ...spec } });
    expect(introducedViolations(pod({ a: "c" }), pod({}))).toEqual([]);
  });

  it("finds a mount that lost its volume, in a container that is as before", () => {
    const app = { name: "a", image: "b", volumeMounts: [{ name: "v", mountPath: "/v" }] };
    const before = { metadata: { name: "a" }, spec: { containers: [app], volumes: [{ name: "v", emptyDir: {} }] } };
    const after = { ...before, spec: { ...before.spec, volumes: [] } };
    expect(introducedViolations(after, before).map(({ path, code }) => [path, code])).toEqual([
      ["spec.containers[0].volumeMounts[0].name", "not-found"],
    ]);
  });

  it.each([3, 40])("finds what changed in the last of %i containers that one was put before", (count) => {
    const containers = Array.from({ length: count }, (_, at) => ({ name: `c-${at}`, image: "b" }));
    const changed = containers.map((each, at) => ({ ...each, image: at === count - 1 ? " b" : "b" }));
    const before = { metadata: { name: "a" }, spec: { containers } };
    const after = { ...before, spec: { containers: [{ name: "first", image: "b" }, ...changed] } };
    expect(introducedViolations(after, before).map(({ path }) => path)).toEqual([`spec.containers[${count}].image`]);
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

/** The API server's own names of fields that are not their paths in the document, with those paths. */
const OWN_NAMES: readonly (readonly [theirs: RegExp, ours: string])[] = [
  [/^metadata\.name/, "metadata.generateName"],
  [/^\[\]$/, "spec.resourceClaims"],
  [/^spec\.resources\.containers\[0\]\.cpu\.limits/, "spec.containers[0].resources.limits.cpu"],
  [/^spec\.securityContext\.shareProcessNamespace/, "spec.shareProcessNamespace"],
  [/^spec\.Host(?=PID|IPC)/, "spec.host"],
  [/^spec\.serviceAccountName/, "spec.serviceAccount"],
  [/^spec\.overhead\.limits/, "spec.overhead"],
  [/^spec\.os\.name/, "spec.os"],
  [/(?<=Profile\.)localhostProfile$/, "type"],
  [/(?<=\.downwardAPI)(?=\.(?:fieldRef|resourceFieldRef|path|mode))/, ".items[0]"],
  [/fieldRef\.fieldPath$/, "fieldRef.apiVersion"],
  [/(?<=\.projected)(?=\.path)/, ".sources[0].serviceAccountToken"],
  [/(?<=volumes\[1\]\.)hostPath$/, "emptyDir"],
  [/(?<=volumes\[1\]\.)persistentDisk/, "gcePersistentDisk"],
  [/(?<=iscsi\.)initiatorname$/, "initiatorName"],
  [/(?<=volumes\[1\]\.)name$/, "iscsi.targetPortal"],
  [/(?<=csi\.)name$/, "nodePublishSecretRef.name"],
  [/(?<=resources)\.storage$/, ".requests.storage"],
  [/(?<=tolerations\[0\]\.)operator$/, "value"],
  [/(?<=\.)namespace$/, "namespaces"],
  [/\[0\]\.\{topologyKey, whenUnsatisfiable\}$/, "[1]"],
  [/(?<=resources\.limits)[.[].*$/, ""],
  [/(?<=^spec\.initContainers)\[0\](?=\.ports)/, "[1]"],
  [/(?<=\.matchFields\[0\]\.values)\[0\]$/, ""],
  [/(?<=Execution\[0\]|podAffinityTerm|topologySpreadConstraints\[0\])\[0\]$/, ".matchLabelKeys[0]"],
  [/(?<=Execution\[0\]|podAffinityTerm)\[0\]$/, ".mismatchLabelKeys[0]"],
  [/(?<=kubernetes\.io\/tolerations)\[0\]/, ""],
];

/**
 * Whether a path is the API server's field, or in it: the API server often names only the object or the list, and
 * leaves out where in a list.
 */
function isNear(path: string, field: string): boolean {
  const [ours, theirs] = [dotted(path), dotted(field)];
  const translated = OWN_NAMES.map(([name, place]) => theirs.replace(name, place));
  return [theirs, ...translated].some((name) => {
    const place = name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll("\\.", String.raw`(?:\[\d+\])?\.`);
    return new RegExp(`^${place}(?=$|[.[])`).test(ours);
  });
}

/** Returns `labels["a/b"]` and `labels[a/b]` as `labels.a/b`. */
function dotted(path: string): string {
  return path.replaceAll(/\["?([^\]"]*[^\]"\d][^\]"]*)"?\]/g, ".$1");
}

/** Whether a path leads to a field that a Pod has, or would have. */
function isField(path: string): boolean {
  let type: TypeSchema | undefined = podSchema;
  for (const step of parseFieldPath(path)) {
    // Some annotations hold JSON, whose fields are named too.
    if (
      type?.kind === "opaque" ||
      type === podSchema.fields.get("metadata")?.type.fields.get("annotations")?.type.element
    ) {
      return true;
    }
    if (type?.kind === "object") type = type.fields.get(String(step))?.type;
    else type = type?.kind === (typeof step === "number" ? "list" : "map") ? type.element : undefined;
    if (type === undefined) return false;
  }
  return path !== "";
}

function canBeInjected(pod: JsonObject): boolean {
  const spec = pod["spec"] as JsonObject | null | undefined;
  return (
    Array.isArray(spec?.["containers"]) && spec["containers"].every((each) => typeof each === "object" && each !== null)
  );
}

/** Changes a pod as an injection does: a container and a volume first and last, a variable in every container. */
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
