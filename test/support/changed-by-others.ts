// What API servers, controllers and other webhooks do to a pod that was injected: any sequence of it, by a seed.
import { type JsonObject, objectOf, objectsOf } from "@outrigger/base";
import { defaultedPod } from "@outrigger/fake-aws";
import { readStatus } from "@outrigger/injector";
import type { Container, Pod } from "@outrigger/pod";
import { pick, type Random, some } from "./random.ts";

type Change = (pod: Pod, random: Random) => Pod;

/** Changes that leave the name of who made them, or something that only they leave. */
const KNOWN: readonly Change[] = [
  withToken,
  withCloudIdentity,
  withTolerations,
  withPriority,
  withRuntimeClass,
  withLimits,
  pullingAlways,
  scheduled,
  debugged,
  resized,
  managed,
];

/** Changes that leave nothing by which they could be recognized, of webhooks after ours. */
const UNKNOWN: readonly Change[] = [withForeignSidecar, withForeignVariables, withForeignLabels];

/**
 * The pod as its cluster has it some time later.
 *
 * @param hasUnknown whether webhooks that leave no trace of themselves are among them
 */
export function changedByOthers(pod: Pod, random: Random, hasUnknown: boolean): JsonObject {
  const all = hasUnknown ? [...KNOWN, ...UNKNOWN] : KNOWN;
  const chosen = some(random, all, 0.5).toSorted(() => random() - 0.5);
  const changed = chosen.reduce((current, change) => change(current, random), pod);
  return running(stored(changed));
}

/** The pod as other webhooks change it between two calls of ours. */
export function changedByWebhooks(pod: Pod, random: Random): Pod {
  return UNKNOWN.reduce((current, change) => change(current, random), pod);
}

function inSpec(pod: Pod, change: (spec: JsonObject) => JsonObject): Pod {
  return { ...pod, spec: change(objectOf(pod.spec as unknown)) } as unknown as Pod;
}

function inMetadata(pod: Pod, change: (metadata: JsonObject) => JsonObject): Pod {
  return { ...pod, metadata: change(objectOf(pod.metadata as unknown)) } as unknown as Pod;
}

function everyContainer(pod: Pod, change: (container: JsonObject, list: string) => JsonObject): Pod {
  return inSpec(pod, (spec) => ({
    ...spec,
    ...Object.fromEntries(
      ["containers", "initContainers"]
        .filter((list) => Array.isArray(spec[list]))
        .map((list) => [list, objectsOf(spec[list]).map((one) => change(one, list))]),
    ),
  }));
}

function withMount(container: JsonObject, name: string, mountPath: string): JsonObject {
  const mounts = objectsOf(container["volumeMounts"]);
  if (mounts.some((mount) => mount["mountPath"] === mountPath)) return container;
  return { ...container, volumeMounts: [...mounts, { name, readOnly: true, mountPath }] };
}

function withVolume(pod: Pod, volume: JsonObject): Pod {
  return inSpec(pod, (spec) => ({ ...spec, volumes: [...objectsOf(spec["volumes"]), volume] }));
}

/** The ServiceAccount plugin, which runs again after a webhook changed the pod. */
function withToken(pod: Pod, random: Random): Pod {
  const volumes = objectsOf(objectOf(pod.spec as unknown)["volumes"]);
  const there = volumes.find(({ name }) => String(name).startsWith("kube-api-access-"))?.["name"];
  const name = typeof there === "string" ? there : `kube-api-access-${pick(random, ["abcde", "x7k2p", "zz9zz"])}`;
  const mounted = everyContainer(pod, (container) =>
    withMount(container, name, "/var/run/secrets/kubernetes.io/serviceaccount"),
  );
  if (there !== undefined) return mounted;
  const sources = [{ serviceAccountToken: { expirationSeconds: 3607, path: "token" } }];
  return withVolume(mounted, { name, projected: { sources, defaultMode: 420 } });
}

/** The webhooks of EKS Pod Identity and of IAM roles for service accounts. */
function withCloudIdentity(pod: Pod, random: Random): Pod {
  const isIrsa = random() < 0.5;
  const [name, path] = isIrsa
    ? ["aws-iam-token", "/var/run/secrets/eks.amazonaws.com/serviceaccount"]
    : ["eks-pod-identity-token", "/var/run/secrets/pods.eks.amazonaws.com/serviceaccount"];
  if (objectsOf(objectOf(pod.spec as unknown)["volumes"]).some((volume) => volume["name"] === name)) return pod;
  const variables = isIrsa
    ? ["AWS_STS_REGIONAL_ENDPOINTS", "AWS_DEFAULT_REGION", "AWS_REGION", "AWS_ROLE_ARN", "AWS_WEB_IDENTITY_TOKEN_FILE"]
    : ["AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"];
  const identified = everyContainer(pod, (container) => {
    const env = objectsOf(container["env"]);
    const added = variables.filter((each) => !env.some((one) => one["name"] === each));
    return withMount(
      { ...container, env: [...env, ...added.map((each) => ({ name: each, value: "x" }))] },
      name as string,
      path as string,
    );
  });
  return withVolume(identified, { name: name as string, projected: { sources: [], defaultMode: 420 } });
}

/** DefaultTolerationSeconds, PodTolerationRestriction and ExtendedResourceToleration. */
function withTolerations(pod: Pod, random: Random): Pod {
  const added = some(random, ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable", "nvidia.com/gpu"], 0.7);
  return inSpec(pod, (spec) => ({
    ...spec,
    tolerations: [
      ...objectsOf(spec["tolerations"]),
      ...added.map((key) => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 })),
    ],
  }));
}

function withPriority(pod: Pod, random: Random): Pod {
  return inSpec(pod, (spec) => ({
    ...spec,
    priority: pick(random, [0, 1000]),
    preemptionPolicy: "PreemptLowerPriority",
  }));
}

/** The RuntimeClass plugin adds to pods that name a class. */
function withRuntimeClass(pod: Pod): Pod {
  return inSpec(pod, (spec) =>
    spec["runtimeClassName"] === undefined
      ? spec
      : {
          ...spec,
          overhead: { cpu: "250m" },
          nodeSelector: { ...objectOf(spec["nodeSelector"]), runtime: "sandboxed" },
        },
  );
}

/** LimitRanger names what it set. */
function withLimits(pod: Pod): Pod {
  const said: string[] = [];
  const limited = everyContainer(pod, (container, list) => {
    const resources = objectOf(container["resources"]);
    const of = `${list === "initContainers" ? "init container" : "container"} ${String(container["name"])}`;
    const filled = Object.fromEntries(
      (["requests", "limits"] as const).map((kind) => {
        const own = objectOf(resources[kind]);
        // Requests come from the limits that are there already.
        const given = kind === "requests" ? { ...objectOf(resources["limits"]), ...own } : own;
        const added = ["cpu", "memory"].filter((name) => given[name] === undefined);
        if (added.length > 0) said.push(`${added.join(", ")} ${kind.slice(0, -1)} for ${of}`);
        return [kind, { ...given, ...Object.fromEntries(added.map((name) => [name, name === "cpu" ? "4" : "4Gi"])) }];
      }),
    );
    return { ...container, resources: { ...resources, ...filled } };
  });
  if (said.length === 0) return pod;
  const text = `LimitRanger plugin set: ${said.join("; ")}`;
  return inMetadata(limited, ({ annotations, ...metadata }) => ({
    ...metadata,
    annotations: { ...objectOf(annotations), "kubernetes.io/limit-ranger": text },
  }));
}

function pullingAlways(pod: Pod): Pod {
  return everyContainer(pod, (container) => ({ ...container, imagePullPolicy: "Always" }));
}

function scheduled(pod: Pod): Pod {
  return inSpec(pod, (spec) => ({ ...spec, nodeName: "ip-10-0-0-1.eu-west-1.compute.internal" }));
}

function debugged(pod: Pod): Pod {
  const debug = { name: "debugger-1", image: "busybox", targetContainerName: "app", stdin: true, tty: true };
  return inSpec(pod, (spec) => ({ ...spec, ephemeralContainers: [debug] }));
}

/** `kubectl patch pod --subresource resize`, or a vertical autoscaler. */
function resized(pod: Pod, random: Random): Pod {
  const containers = objectsOf(objectOf(pod.spec as unknown)["containers"]);
  if (containers.length === 0) return pod;
  const { name } = pick(random, containers);
  const changed = everyContainer(pod, (container, list) =>
    list === "containers" && container["name"] === name
      ? { ...container, resources: { requests: { cpu: "3", memory: "3Gi" }, limits: { cpu: "3", memory: "3Gi" } } }
      : container,
  );
  const fields = { [`k:{"name":"${String(name)}"}`]: { "f:resources": { "f:requests": {} } } };
  const entry = {
    manager: "vpa",
    operation: "Update",
    subresource: "resize",
    fieldsV1: { "f:spec": { "f:containers": fields } },
  };
  return inMetadata(changed, (metadata) => ({
    ...metadata,
    managedFields: [...objectsOf(metadata["managedFields"]), entry],
  }));
}

/** `kubectl set image pod/web istio-proxy=hotfix:1`, of a container that was injected. */
export function retagged(
  object: JsonObject,
  random: Random,
): { readonly pod: JsonObject; readonly container?: string } {
  const pod = object as unknown as Pod;
  const { containers = [], initContainers = [] } = readStatus(pod) ?? {};
  const names = new Set([...containers, ...initContainers]);
  const fields = (["containers", "initContainers"] as const).flatMap((list) =>
    objectsOf(objectOf(pod.spec as unknown)[list])
      .filter(({ name }) => names.has(String(name)))
      .map(({ name }) => ({ list, name: String(name) })),
  );
  if (fields.length === 0) return { pod: object };
  const chosen = pick(random, fields);
  const changed = everyContainer(pod, (container, list) =>
    list === chosen.list && container["name"] === chosen.name ? { ...container, image: "hotfix:1" } : container,
  );
  const entry = {
    manager: "kubectl-set",
    operation: "Update",
    fieldsV1: {
      "f:spec": { [`f:${chosen.list}`]: { [`k:{"name":"${chosen.name}"}`]: { "f:image": {} } } },
    },
  };
  const written = inMetadata(changed, (metadata) => ({
    ...metadata,
    managedFields: [...objectsOf(metadata["managedFields"]), entry],
  }));
  return { pod: written as unknown as JsonObject, container: chosen.name };
}

/** The pod with its containers, those of webhooks too, owned by who made the pod. */
function managed(pod: Pod): Pod {
  const owned = (list: "containers" | "initContainers") =>
    Object.fromEntries(
      objectsOf(objectOf(pod.spec as unknown)[list]).map(({ name }) => [
        `k:${JSON.stringify({ name })}`,
        { ".": {}, "f:image": {} },
      ]),
    );
  const entry = {
    manager: "kube-controller-manager",
    operation: "Update",
    apiVersion: "v1",
    fieldsV1: {
      "f:metadata": {},
      "f:spec": { "f:containers": owned("containers"), "f:initContainers": owned("initContainers") },
    },
  };
  return inMetadata(pod, (metadata) => ({
    ...metadata,
    managedFields: [entry, ...objectsOf(metadata["managedFields"])],
  }));
}

function withForeignSidecar(pod: Pod): Pod {
  return inSpec(withVolume(pod, { name: "foreign", emptyDir: {} }), (spec) => ({
    ...spec,
    containers: [...objectsOf(spec["containers"]), { name: "foreign-agent", image: "foreign:1" }],
  }));
}

function withForeignVariables(pod: Pod): Pod {
  return everyContainer(pod, (container) => {
    const env = objectsOf(container["env"]);
    return env.some(({ name }) => name === "FOREIGN_AGENT")
      ? container
      : withMount({ ...container, env: [{ name: "FOREIGN_AGENT", value: "1" }, ...env] }, "foreign", "/foreign");
  });
}

function withForeignLabels(pod: Pod): Pod {
  return inMetadata(pod, ({ labels, annotations, ...metadata }) => ({
    ...metadata,
    labels: { ...objectOf(labels), "foreign.example.com/seen": "true" },
    annotations: { ...objectOf(annotations), "foreign.example.com/by": "a webhook" },
  }));
}

/** Returns the pod with what an API server writes into metadata. */
function stored(pod: Pod): Pod {
  return inMetadata(defaultedPod(pod), ({ generateName, name, ...metadata }) => ({
    ...metadata,
    ...(generateName !== undefined && { generateName }),
    name: name ?? `${String(generateName ?? "pod-")}bcdfg`,
    uid: "36a5f1b0-1c2d-4e3f-8a9b-0c1d2e3f4a5b",
    resourceVersion: "12345",
    creationTimestamp: "2026-11-20T10:00:00Z",
    generation: 3,
  }));
}

function running(pod: Pod): JsonObject {
  const names = (pod.spec?.containers ?? []).map(({ name }: Container) => name);
  return {
    ...(JSON.parse(JSON.stringify(pod)) as JsonObject),
    status: {
      phase: "Running",
      qosClass: "Burstable",
      conditions: [{ type: "Ready", status: "True" }],
      containerStatuses: names.map((name) => ({ name, ready: true, restartCount: 0 })),
    },
  };
}
