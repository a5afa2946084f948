// What the admission plugins of an API server add to a pod before its webhooks are called. Each step is one plugin, on by default; the
// order is the API server's.
import {
  isObject,
  type JsonObject,
  type JsonValue,
  listOf,
  metadataKeys,
  objectOf,
  objectsOf,
  textOf,
} from "@outrigger/base";
import { TOKEN_PATH } from "../schema/stored-form.ts";

/** Takes the spec as it is so far, and the pod for its metadata. */
type AdmissionStep = (spec: JsonObject, pod: JsonObject) => JsonObject;

export const ADMISSION_STEPS: readonly AdmissionStep[] = [serviceAccount, priority, tolerations];

/** The beginning of the name of the volume that has a service account's token. */
export const TOKEN_VOLUME = "kube-api-access-";

/** The generated part of the name that an API server makes of five random characters. */
export const NAME_SUFFIX = "00000";

/** A token, the authority's certificates and the namespace, as the plugin ServiceAccount of upstream Kubernetes projects them. */
const TOKEN_SOURCES: JsonValue = [
  // Seconds: an hour, and seven by which kubelets know a token that was projected by default.
  { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
  { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
  { downwardAPI: { items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }] } },
];

/** ServiceAccount: the account, and its token in each container that mounts nothing else at its path. A mirror pod has none. */
function serviceAccount(given: JsonObject, pod: JsonObject): JsonObject {
  const annotations = objectOf(objectOf(pod["metadata"])["annotations"]);
  if (annotations[metadataKeys.mirrorPod] !== undefined) return given;
  const account = textOf(given["serviceAccountName"]) || textOf(given["serviceAccount"]) || "default";
  const spec = { ...given, serviceAccountName: account, serviceAccount: account };
  if (given["automountServiceAccountToken"] === false) return spec;
  const volumes = listOf(given["volumes"]);
  const own = objectsOf(volumes).find(({ name }) => textOf(name)?.startsWith(TOKEN_VOLUME));
  const name = textOf(own?.["name"]) ?? TOKEN_VOLUME + NAME_SUFFIX;
  const mounted = Object.fromEntries(
    ["initContainers", "containers"].flatMap((list) => {
      const items = spec[list as keyof typeof spec] as JsonValue | undefined;
      return Array.isArray(items) ? [[list, items.map((item) => withToken(item, name))]] : [];
    }),
  );
  const isNeeded = Object.entries(mounted).some(([list, items]) =>
    items.some((item, index) => item !== listOf(given[list])[index]),
  );
  if (!isNeeded) return spec;
  const volume = { name, projected: { defaultMode: 0o644, sources: TOKEN_SOURCES } };
  return { ...spec, ...mounted, volumes: own === undefined ? [...volumes, volume] : volumes };
}

function withToken(container: JsonValue, name: string): JsonValue {
  if (!isObject(container)) return container;
  const mounts = listOf(container["volumeMounts"]);
  if (objectsOf(mounts).some(({ mountPath }) => mountPath === TOKEN_PATH)) return container;
  return { ...container, volumeMounts: [...mounts, { name, readOnly: true, mountPath: TOKEN_PATH }] };
}

/** Priority classes that every cluster has. */
const PRIORITIES: Readonly<Record<string, number>> = {
  "system-cluster-critical": 2_000_000_000,
  "system-node-critical": 2_000_001_000,
};

/** Priority: the number of the pod's class, and whether it may preempt others. */
function priority(spec: JsonObject): JsonObject {
  const known = PRIORITIES[textOf(spec["priorityClassName"]) ?? ""] ?? 0;
  return { priority: known, preemptionPolicy: "PreemptLowerPriority", ...spec };
}

/** Seconds that a pod stays on a node that is not ready or not reached. */
const STAY = 300;
/** The faults of a node that a pod tolerates for that long without saying so. */
export const FAULTS: readonly string[] = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

/** DefaultTolerationSeconds: for each fault of a node that the pod does not tolerate itself. */
function tolerations(spec: JsonObject): JsonObject {
  const own = listOf(spec["tolerations"]);
  const isTolerated = (fault: string) =>
    objectsOf(own).some(
      ({ key, effect }) => ["", fault].includes(textOf(key) ?? "") && ["", "NoExecute"].includes(textOf(effect) ?? ""),
    );
  const more = FAULTS.filter((fault) => !isTolerated(fault)).map((key) => {
    return { key, operator: "Exists", effect: "NoExecute", tolerationSeconds: STAY };
  });
  return more.length === 0 ? spec : { ...spec, tolerations: [...own, ...more] };
}
