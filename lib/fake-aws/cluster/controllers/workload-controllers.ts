// The controllers of workloads: they replace pods by Kubernetes' arithmetic, one step each time they are asked. Deployments are
// here; who needs another kind gives its controller.
import { createHash } from "node:crypto";
import { type JsonObject, jsonEqual, memoizeObject, objectOf, objectsOf } from "@outrigger/base";
import type { FakeApiServer } from "../api/api-server.ts";
import { isoTime } from "../api/objects.ts";
import { deploymentController } from "./deployment.ts";
import { type Fate, podNode } from "./pod-status.ts";
import {
  type ControllerTools,
  HASHES,
  type MadePod,
  type PodNames,
  type Reconcile,
  type Workload,
} from "./reconcile.ts";

/** The cluster that the controllers act on, and the fates of its pods. */
export interface ControllerOptions<PodFate extends Fate = Fate> {
  readonly api: Pick<FakeApiServer, "objects" | "put">;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Admits a pod that is sent to the API server, or throws the message of a denial. */
  readonly admit: (pod: JsonObject) => JsonObject | Promise<JsonObject>;
  readonly fateOf: (pod: JsonObject) => PodFate;
  /** The status of a pod, where it says more. */
  readonly statusOf?: (pod: JsonObject, fate: PodFate, status: JsonObject) => JsonObject;
  /** Controllers of more kinds, by their plural. */
  readonly more?: (tools: ControllerTools) => Readonly<Record<string, Reconcile>>;
}

const PODS = /^\/api\/v1\/namespaces\/[^/]+\/pods\/[^/]+$/;

/** Makes `tick`, one step of every controller: pods age, controllers act. */
export function workloadControllers<PodFate extends Fate>(options: ControllerOptions<PodFate>) {
  const { api, now, admit, fateOf, statusOf = (_pod, _fate, status) => status, more = () => ({}) } = options;
  const nodeStatus = podNode(now);
  let serial = 0;
  /** Paths of the pods of each owner. A controller makes and removes pods of its own only. */
  let places = new Map<string, Set<string>>();
  const tools: ControllerTools = { now, podsOf, makePod, update, removePod: (path) => void api.objects.delete(path) };
  const controllers: Readonly<Record<string, Reconcile>> = { deployments: deploymentController(tools), ...more(tools) };

  async function tick(): Promise<void> {
    for (const [path, object] of [...api.objects]) {
      if (!PODS.test(path)) continue;
      const fate = fateOf(object);
      update(path, object, statusOf(object, fate, nodeStatus(object, fate)));
    }
    places = placesByOwner(api.objects);
    for (const [path, object] of [...api.objects]) {
      const spec = objectOf(object["spec"]);
      const reconcile = path.startsWith("/apis/") ? controllers[path.split("/").at(-2) ?? ""] : undefined;
      if (reconcile === undefined || spec["paused"] === true) continue;
      const revision = hashOf(objectOf(spec["template"]));
      await reconcile({ path, object, revision, pods: podsOf(path, object, revision) });
    }
  }

  function update(path: string, object: JsonObject, status: JsonObject): void {
    if (!jsonEqual(objectOf(object["status"]), status)) api.put(path, { ...object, status });
  }

  function podsOf(path: string, workload: JsonObject, revision: string): readonly MadePod[] {
    const minimum = Number(objectOf(workload["spec"])["minReadySeconds"] ?? 0) * 1000;
    return [...(places.get(ownerOf(path, workload)) ?? [])].flatMap((place) => {
      const object = api.objects.get(place);
      if (object === undefined) return [];
      const [ready] = objectsOf(objectOf(object["status"])["conditions"]);
      const isReady = ready?.["status"] === "True";
      const since = Date.parse(String(ready?.["lastTransitionTime"]));
      const labels = objectOf(objectOf(object["metadata"])["labels"]);
      const isNew = HASHES.some((label) => labels[label] === revision);
      return [{ path: place, object, isReady, isAvailable: isReady && now() - since >= minimum, isNew }];
    });
  }

  async function makePod({ path, object: workload, revision }: Workload, names: PodNames): Promise<string | undefined> {
    const { label, owner: kind, ordinal } = names;
    const { name, namespace } = objectOf(workload["metadata"]);
    const uid = ownerOf(path, workload);
    const { metadata, spec } = objectOf(objectOf(workload["spec"])["template"]);
    const { labels, annotations } = objectOf(metadata);
    const isReplicaSet = kind === "ReplicaSet";
    const owner = {
      apiVersion: "apps/v1",
      kind,
      name: isReplicaSet ? `${String(name)}-${revision}` : name,
      uid: isReplicaSet ? `${uid}-${revision}` : uid,
      controller: true,
    };
    const generateName = isReplicaSet ? `${String(name)}-${revision}-` : `${String(name)}-`;
    const sent = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        generateName,
        ...(ordinal !== undefined && { name: `${String(name)}-${ordinal}` }),
        namespace,
        labels: { ...objectOf(labels), [label]: revision },
        annotations: objectOf(annotations),
        ownerReferences: [owner],
      },
      spec: objectOf(spec),
    } as JsonObject;
    try {
      const made = await admit(sent);
      const admitted = objectOf(made["metadata"]);
      const podName = String(admitted["name"] ?? `${generateName}${suffixOf(serial++)}`);
      const place = `/api/v1/namespaces/${String(namespace)}/pods/${podName}`;
      places.set(uid, (places.get(uid) ?? new Set()).add(place));
      const own = { ...admitted, name: podName, namespace, creationTimestamp: isoTime({ now }) } as JsonObject;
      api.put(place, { ...made, metadata: own });
      return undefined;
    } catch (error) {
      const message = String(error instanceof Error ? error.message : error);
      const event = `${String(owner.name)}.failed-create`;
      api.put(`/api/v1/namespaces/${String(namespace)}/events/${event}`, {
        metadata: { name: event, namespace },
        reason: "FailedCreate",
        type: "Warning",
        involvedObject: { kind: owner.kind, name: owner.name, namespace } as JsonObject,
        message: `Error creating: ${message}`,
        lastTimestamp: isoTime({ now }),
      } as JsonObject);
      return message;
    }
  }

  return { tick, podsOf: (path: string) => podsOf(path, api.objects.get(path) as JsonObject, "") };
}

function ownerOf(path: string, workload: JsonObject): string {
  return String(objectOf(workload["metadata"])["uid"] ?? path);
}

/** A ReplicaSet's UID begins with that of its workload. */
function placesByOwner(objects: ReadonlyMap<string, JsonObject>): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const [path, object] of objects) {
    if (!PODS.test(path)) continue;
    const owner = objectsOf(objectOf(object["metadata"])["ownerReferences"]).find(({ controller }) => controller);
    const { kind, uid } = owner ?? {};
    if (typeof uid !== "string") continue;
    const key = kind === "ReplicaSet" ? uid.replace(/-[0-9a-f]{8}$/, "") : uid;
    found.set(key, (found.get(key) ?? new Set()).add(path));
  }
  return found;
}

// It is asked again at each step, as long as the object is the same one.
const hashOf = memoizeObject((template: JsonObject) =>
  createHash("sha1").update(JSON.stringify(template)).digest("hex").slice(0, 8),
);

const ALPHABET = "bcdfghjklmnpqrstvwxz2456789";

function suffixOf(serial: number): string {
  const digits = serial.toString(ALPHABET.length).padStart(5, "0");
  return digits.replaceAll(/./g, (digit) => ALPHABET[Number.parseInt(digit, ALPHABET.length)] ?? "");
}
