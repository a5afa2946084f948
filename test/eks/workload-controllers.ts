// Controllers for the API server of the tests: Deployments, StatefulSets, DaemonSets and Argo's Rollouts replace their pods by
// Kubernetes' arithmetic, one step each time they are asked, and budgets count. How pods fare is a script.
import { createHash } from "node:crypto";
import { type JsonObject, jsonEqual, objectOf, objectsOf } from "@outrigger/base";
import { matchesLabelSelector, type Pod, parseLabelSelector } from "@outrigger/pod";
import type { FakeApiServer } from "./fake-api-server.ts";

/** How a pod fares. */
export interface Fate {
  /** Milliseconds until it is ready; left out, it never is. */
  readonly readyAfter?: number;
  /** Its container ends again and again. */
  readonly crashes?: { readonly container: string; readonly exitCode: number; readonly reason?: string };
  /** It crashes so many milliseconds after it was ready, and not before. */
  readonly fallsAfter?: number;
  /** The image of this container cannot be pulled. */
  readonly unpulled?: string;
  /** What its node does with new resources: milliseconds until it has them; left out, at once. */
  readonly resize?: number | "Infeasible" | "Deferred";
  /** This container ends once, milliseconds after the pod was made, and runs again. */
  readonly endsOnce?: { readonly container: string; readonly after: number; readonly reason?: string };
}

export interface ControllerOptions {
  readonly api: Pick<FakeApiServer, "objects" | "put">;
  readonly now: () => number;
  /** What becomes of a pod that is sent to the API server: throws the message of a denial. */
  readonly admit: (pod: JsonObject) => JsonObject | Promise<JsonObject>;
  readonly fateOf: (pod: JsonObject) => Fate;
  /** Of the cluster: a DaemonSet has a pod on each. */
  readonly nodes?: number;
}

const PODS = /^\/api\/v1\/namespaces\/[^/]+\/pods\/[^/]+$/;
const WORKLOADS = /\/(deployments|statefulsets|daemonsets|rollouts)\/[^/]+$/;

/** Annotation of a pod: who made it. */
const OWNER = "test/owner";

const HASHES = ["pod-template-hash", "rollouts-pod-template-hash", "controller-revision-hash"];

interface Made {
  readonly path: string;
  readonly object: JsonObject;
  readonly isReady: boolean;
  readonly isAvailable: boolean;
  readonly isNew: boolean;
}

/** One step of every controller: pods age, controllers act, budgets are counted. */
export function workloadControllers({ api, now, admit, fateOf, nodes = 3 }: ControllerOptions) {
  /** Path of a workload → when its rollout made progress last, and how far it was. */
  const progress = new Map<string, { readonly mark: string; readonly at: number }>();
  let serial = 0;
  /** Paths of the pods of each owner. A controller makes and removes pods of its own only. */
  let places = new Map<string, Set<string>>();

  async function tick(): Promise<void> {
    for (const [path, object] of [...api.objects]) if (PODS.test(path)) agePod(path, object);
    places = placesByOwner(api.objects);
    for (const [path, object] of [...api.objects]) if (WORKLOADS.test(path)) await reconcile(path, object);
    for (const [path, object] of [...api.objects])
      if (path.includes("/poddisruptionbudgets/")) countBudget(path, object);
  }

  function update(path: string, object: JsonObject, status: JsonObject): void {
    if (JSON.stringify(object["status"]) !== JSON.stringify(status)) api.put(path, { ...object, status });
  }

  /** Container of a pod → what its node runs. Another image in the pod is another start of that container alone. */
  const runs = new Map<string, { readonly image: unknown; readonly since: number; readonly changes: number }>();

  function runOf(object: JsonObject, { name, image }: JsonObject) {
    const { uid, creationTimestamp } = objectOf(object["metadata"]);
    const key = `${String(uid)}/${String(name)}`;
    const known = runs.get(key) ?? { image, since: Date.parse(String(creationTimestamp)), changes: 0 };
    const run = known.image === image ? known : { image, since: now(), changes: known.changes + 1 };
    runs.set(key, run);
    return run;
  }

  /** Container of a pod → the resources that its node gives it, and since when others are asked for. */
  const given = new Map<string, { readonly resources: JsonObject; readonly asked?: number }>();

  function resourcesOf(object: JsonObject, { name, resources }: JsonObject, resize: Fate["resize"] = 0): JsonObject {
    const key = `${String(objectOf(object["metadata"])["uid"])}/${String(name)}`;
    const wanted = objectOf(resources);
    const known = given.get(key) ?? { resources: wanted };
    const asked = jsonEqual(known.resources, wanted) ? undefined : (known.asked ?? now());
    const isDone = asked === undefined || (typeof resize === "number" && now() - asked >= resize);
    given.set(key, isDone ? { resources: wanted } : { resources: known.resources, asked });
    return isDone ? wanted : known.resources;
  }

  function agePod(path: string, object: JsonObject): void {
    const born = Date.parse(String(objectOf(object["metadata"])["creationTimestamp"]));
    const fate = fateOf(object);
    const { readyAfter: readyIn = Number.POSITIVE_INFINITY, fallsAfter, unpulled, endsOnce, resize } = fate;
    const { containers, initContainers } = objectOf(object["spec"]);
    const isSidecar = ({ restartPolicy }: JsonObject) => restartPolicy === "Always";
    const running = [...objectsOf(initContainers).filter(isSidecar), ...objectsOf(containers)];
    const last = Math.max(...running.map((container) => runOf(object, container).since));
    const hasFallen = now() - last >= readyIn + (fallsAfter ?? Number.POSITIVE_INFINITY);
    const readyAfter = hasFallen ? Number.POSITIVE_INFINITY : readyIn;
    const crashes = fallsAfter === undefined || hasFallen ? fate.crashes : undefined;
    const isReady = now() - last >= readyAfter;
    const resourcesIn = new Map(running.map((one) => [one["name"], resourcesOf(object, one, resize)]));
    const isResized = running.every(({ name, resources }) =>
      jsonEqual(resourcesIn.get(name) ?? {}, objectOf(resources)),
    );
    const statusOf = (container: JsonObject) => {
      const { name, image } = container;
      const resources = resourcesIn.get(name) ?? {};
      const { since, changes } = runOf(object, container);
      const age = now() - since;
      const startedAt = `${new Date(since).toISOString().slice(0, 19)}Z`;
      if (crashes !== undefined && crashes.container === name) {
        const { exitCode, reason = "Error" } = crashes;
        const restartCount = Math.floor(age / 5000) + changes;
        const state = { waiting: { reason: "CrashLoopBackOff" } };
        const finishedAt = new Date(since + Math.floor(age / 5000) * 5000).toISOString();
        return { name, ready: false, restartCount, state, lastState: { terminated: { exitCode, reason, finishedAt } } };
      }
      if (endsOnce !== undefined && endsOnce.container === name && age >= endsOnce.after) {
        const finishedAt = new Date(born + endsOnce.after).toISOString();
        const lastState = { terminated: { exitCode: 1, reason: endsOnce.reason ?? "Error", finishedAt } };
        return { name, ready: isReady, restartCount: 1, state: { running: {} }, lastState };
      }
      if (unpulled === name)
        return { name, ready: false, restartCount: changes, state: { waiting: { reason: "ImagePullBackOff" } } };
      const isUp = now() - since >= readyAfter;
      return { name, image, ready: isUp, restartCount: changes, resources, state: { running: { startedAt } } };
    };
    const ended = ({ name, image }: JsonObject) => ({
      name,
      image,
      ready: true,
      restartCount: 0,
      state: { terminated: {} },
    });
    const readySince = isReady ? new Date(last + readyAfter).toISOString() : null;
    update(path, object, {
      phase: "Running",
      conditions: [
        { type: "Ready", status: isReady ? "True" : "False", lastTransitionTime: readySince },
        ...(isResized ? [] : [resizeCondition(resize)]),
      ],
      ...(Array.isArray(initContainers) && {
        initContainerStatuses: objectsOf(initContainers).map((one) => (isSidecar(one) ? statusOf(one) : ended(one))),
      }),
      containerStatuses: objectsOf(containers).map(statusOf),
    } as JsonObject);
  }

  function podsOf(path: string, workload: JsonObject, revision: string): readonly Made[] {
    const { namespace, uid } = objectOf(workload["metadata"]);
    const minimum = Number(objectOf(workload["spec"])["minReadySeconds"] ?? 0) * 1000;
    return [...(places.get(String(uid ?? path)) ?? [])]
      .filter((place) => place.startsWith(`/api/v1/namespaces/${String(namespace)}/pods/`))
      .flatMap((place): readonly (readonly [string, JsonObject])[] => {
        const object = api.objects.get(place);
        return object === undefined ? [] : [[place, object]];
      })
      .map(([place, object]) => {
        const [ready] = objectsOf(objectOf(object["status"])["conditions"]);
        const isReady = ready?.["status"] === "True";
        const since = Date.parse(String(ready?.["lastTransitionTime"]));
        const labels = objectOf(objectOf(object["metadata"])["labels"]);
        const isNew = HASHES.some((label) => labels[label] === revision);
        return { path: place, object, isReady, isAvailable: isReady && now() - since >= minimum, isNew };
      });
  }

  async function makePod(
    path: string,
    workload: JsonObject,
    revision: string,
    ordinal?: number,
  ): Promise<string | undefined> {
    const { name, namespace, uid } = objectOf(workload["metadata"]);
    const kind = kindOf(path);
    const template = objectOf(objectOf(workload["spec"])["template"]);
    const { labels, annotations } = objectOf(template["metadata"]);
    const isReplicaSet = kind === "Deployment" || kind === "Rollout";
    const hash =
      kind === "Deployment"
        ? "pod-template-hash"
        : kind === "Rollout"
          ? "rollouts-pod-template-hash"
          : "controller-revision-hash";
    const owner = {
      apiVersion: "apps/v1",
      kind: isReplicaSet ? "ReplicaSet" : kind,
      name: isReplicaSet ? `${String(name)}-${revision}` : name,
      uid: isReplicaSet ? `${String(uid)}-${revision}` : uid,
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
        labels: { ...objectOf(labels), [hash]: revision },
        annotations: objectOf(annotations),
        ownerReferences: [owner],
      },
      spec: objectOf(template["spec"]),
    } as JsonObject;
    try {
      const made = await admit(sent);
      const metadata = objectOf(made["metadata"]);
      const podName = String(metadata["name"] ?? `${generateName}${suffixOf(serial++)}`);
      const owned = { ...objectOf(metadata["annotations"]), [OWNER]: uid ?? path };
      const creationTimestamp = `${new Date(now()).toISOString().slice(0, 19)}Z`;
      const place = `/api/v1/namespaces/${String(namespace)}/pods/${podName}`;
      places.set(String(uid ?? path), (places.get(String(uid ?? path)) ?? new Set()).add(place));
      api.put(place, {
        ...made,
        metadata: { ...metadata, name: podName, namespace, annotations: owned, creationTimestamp } as JsonObject,
      });
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
        lastTimestamp: `${new Date(now()).toISOString().slice(0, 19)}Z`,
      } as JsonObject);
      return message;
    }
  }

  async function reconcile(path: string, workload: JsonObject): Promise<void> {
    const kind = kindOf(path);
    const spec = objectOf(workload["spec"]);
    const revision = hashOf(spec["template"]);
    if (spec["paused"] === true) return;
    const pods = podsOf(path, workload, revision);
    const act = { Deployment: deploy, StatefulSet: orderPods, DaemonSet: onEachNode, Rollout: restartRollout }[kind];
    await act?.(path, workload, revision, pods);
  }

  async function deploy(path: string, workload: JsonObject, revision: string, pods: readonly Made[]): Promise<void> {
    const spec = objectOf(workload["spec"]);
    const wanted = Number(spec["replicas"] ?? 1);
    const { type, rollingUpdate } = objectOf(spec["strategy"]);
    const { maxSurge = "25%", maxUnavailable = "25%" } = objectOf(rollingUpdate);
    const surge = share(maxSurge, wanted, Math.ceil);
    const spare = share(maxUnavailable, wanted, Math.floor) || (surge === 0 ? 1 : 0);
    const [fresh, old] = [pods.filter(({ isNew }) => isNew), pods.filter(({ isNew }) => !isNew)];
    let failure: string | undefined;
    const isRecreate = type === "Recreate";
    const most = isRecreate ? (old.length === 0 ? wanted : 0) : wanted + surge - pods.length;
    for (let count = 0; count < Math.min(most, wanted - fresh.length) && failure === undefined; count++) {
      failure = await makePod(path, workload, revision);
    }
    if (isRecreate) for (const { path: place } of old) api.objects.delete(place);
    else {
      const least = wanted - spare;
      const unready = fresh.filter(({ isAvailable }) => !isAvailable).length;
      let down = pods.length - least - unready;
      const broken = old.filter(({ isReady }) => !isReady).slice(0, Math.max(0, down));
      for (const { path: place } of broken) api.objects.delete(place);
      down = pods.filter(({ isAvailable }) => isAvailable).length - least;
      const rest = old.filter((one) => !broken.includes(one) && one.isAvailable).slice(0, Math.max(0, down));
      for (const { path: place } of rest) api.objects.delete(place);
    }
    const after = podsOf(path, workload, revision);
    const updated = after.filter(({ isNew }) => isNew);
    const available = after.filter(({ isAvailable }) => isAvailable);
    const isComplete = updated.length === wanted && after.length === wanted && available.length >= wanted;
    const deadline = Number(spec["progressDeadlineSeconds"] ?? 600) * 1000;
    const reason = isComplete
      ? "NewReplicaSetAvailable"
      : isLate(path, [revision, updated.length, available.length, after.length], deadline)
        ? "ProgressDeadlineExceeded"
        : "ReplicaSetUpdated";
    const failed =
      failure === undefined
        ? []
        : [{ type: "ReplicaFailure", status: "True", reason: "FailedCreate", message: failure }];
    update(path, workload, {
      observedGeneration: objectOf(workload["metadata"])["generation"] ?? 1,
      replicas: after.length,
      updatedReplicas: updated.length,
      readyReplicas: after.filter(({ isReady }) => isReady).length,
      availableReplicas: available.length,
      conditions: [
        { type: "Progressing", status: reason === "ProgressDeadlineExceeded" ? "False" : "True", reason },
        ...failed,
      ],
    });
  }

  function isLate(path: string, mark: readonly unknown[], deadline: number): boolean {
    const text = JSON.stringify(mark);
    const known = progress.get(path);
    if (known?.mark !== text) progress.set(path, { mark: text, at: now() });
    return known !== undefined && known.mark === text && now() - known.at > deadline;
  }

  async function orderPods(path: string, workload: JsonObject, revision: string, pods: readonly Made[]): Promise<void> {
    const spec = objectOf(workload["spec"]);
    const wanted = Number(spec["replicas"] ?? 1);
    const before = String(objectOf(workload["status"])["currentRevision"] ?? revision);
    const byOrdinal = new Map(pods.map((one) => [Number(/-(\d+)$/.exec(one.path)?.[1]), one]));
    const partition = Number(objectOf(objectOf(spec["updateStrategy"])["rollingUpdate"])["partition"] ?? 0);
    const onDelete = objectOf(spec["updateStrategy"])["type"] === "OnDelete";
    const missing = Array.from({ length: wanted }, (_, ordinal) => ordinal).find(
      (ordinal) => !byOrdinal.get(ordinal)?.isAvailable,
    );
    if (missing !== undefined && !byOrdinal.has(missing)) await makePod(path, workload, revision, missing);
    else if (missing === undefined && !onDelete) {
      const old = [...byOrdinal]
        .filter(([ordinal, { isNew }]) => !isNew && ordinal >= partition)
        .sort(([a], [b]) => b - a)[0];
      if (old !== undefined) api.objects.delete(old[1].path);
    }
    // A pod that is not ready holds up the others, of whichever revision: a person has to delete it (kubernetes#67250).
    const after = podsOf(path, workload, revision);
    const updated = after.filter(({ isNew }) => isNew).length;
    const ready = after.filter(({ isReady }) => isReady).length;
    update(path, workload, {
      observedGeneration: objectOf(workload["metadata"])["generation"] ?? 1,
      replicas: after.length,
      readyReplicas: ready,
      availableReplicas: after.filter(({ isAvailable }) => isAvailable).length,
      updatedReplicas: updated,
      updateRevision: revision,
      currentRevision: updated === wanted && ready === wanted ? revision : before,
    });
  }

  async function onEachNode(
    path: string,
    workload: JsonObject,
    revision: string,
    pods: readonly Made[],
  ): Promise<void> {
    const { type } = objectOf(objectOf(workload["spec"])["updateStrategy"]);
    if (pods.length < nodes) await makePod(path, workload, revision);
    else if (type !== "OnDelete") {
      const old = pods.filter(({ isNew }) => !isNew);
      const victim = old.find(({ isAvailable }) => !isAvailable) ?? old[0];
      const isSpare = pods.every(({ isAvailable }) => isAvailable) || victim?.isAvailable === false;
      if (victim !== undefined && isSpare) api.objects.delete(victim.path);
    }
    const after = podsOf(path, workload, revision);
    update(path, workload, {
      observedGeneration: objectOf(workload["metadata"])["generation"] ?? 1,
      desiredNumberScheduled: nodes,
      currentNumberScheduled: after.length,
      updatedNumberScheduled: after.filter(({ isNew }) => isNew).length,
      numberReady: after.filter(({ isReady }) => isReady).length,
      numberAvailable: after.filter(({ isAvailable }) => isAvailable).length,
    });
  }

  async function restartRollout(
    path: string,
    workload: JsonObject,
    revision: string,
    pods: readonly Made[],
  ): Promise<void> {
    const { replicas, restartAt } = objectOf(workload["spec"]);
    const wanted = Number(replicas ?? 1);
    const since = restartAt === undefined ? 0 : Date.parse(String(restartAt));
    const old = pods.filter(
      ({ object }) => Date.parse(String(objectOf(object["metadata"])["creationTimestamp"])) < since,
    );
    if (pods.length < wanted) await makePod(path, workload, revision);
    else if (old.length > 0 && pods.every(({ isAvailable }) => isAvailable)) api.objects.delete((old[0] as Made).path);
    const after = podsOf(path, workload, revision);
    const isHealthy = after.length === wanted && after.every(({ isAvailable }) => isAvailable);
    update(path, workload, {
      observedGeneration: String(objectOf(workload["metadata"])["generation"] ?? 1),
      phase: isHealthy && old.length === 0 ? "Healthy" : "Progressing",
      ...(old.length === 0 && restartAt !== undefined && { restartedAt: restartAt }),
    } as JsonObject);
  }

  function countBudget(path: string, budget: JsonObject): void {
    const { selector, minAvailable, maxUnavailable } = objectOf(budget["spec"]);
    const namespace = /namespaces\/([^/]+)\//.exec(path)?.[1] ?? "";
    const parsed = parseLabelSelector(selector ?? {}, "selector");
    const pods = [...api.objects].filter(
      ([place, pod]) =>
        PODS.test(place) &&
        place.startsWith(`/api/v1/namespaces/${namespace}/`) &&
        matchesLabelSelector(parsed, (pod as unknown as Pod).metadata?.labels ?? {}),
    );
    const healthy = pods.filter(
      ([, pod]) => objectsOf(objectOf(pod["status"])["conditions"])[0]?.["status"] === "True",
    );
    const least =
      minAvailable !== undefined
        ? share(minAvailable, pods.length, Math.ceil)
        : pods.length - share(maxUnavailable ?? 1, pods.length, Math.ceil);
    update(path, budget, { disruptionsAllowed: Math.max(0, healthy.length - least) });
  }

  /** Until nothing changes any more. */
  async function settle(step: () => void, most = 200): Promise<void> {
    for (let count = 0; count < most; count++) {
      const before = fingerprint();
      step();
      await tick();
      if (before === fingerprint() && count > 5) return;
    }
  }

  function fingerprint(): string {
    return [...api.objects]
      .map(([path, object]) => path + String(objectOf(object["metadata"])["resourceVersion"]))
      .join();
  }

  return { tick, settle, podsOf: (path: string) => podsOf(path, api.objects.get(path) as JsonObject, "") };
}

function resizeCondition(resize: Fate["resize"]): JsonObject {
  if (typeof resize !== "string") return { type: "PodResizeInProgress", status: "True" };
  const message =
    resize === "Infeasible"
      ? "Node didn't have enough capacity: cpu, requested: 64000"
      : "Node didn't have enough resource: cpu";
  return { type: "PodResizePending", status: "True", reason: resize, message };
}

const KINDS: Readonly<Record<string, "Deployment" | "StatefulSet" | "DaemonSet" | "Rollout">> = {
  deployments: "Deployment",
  statefulsets: "StatefulSet",
  daemonsets: "DaemonSet",
  rollouts: "Rollout",
};

function kindOf(path: string): "Deployment" | "StatefulSet" | "DaemonSet" | "Rollout" {
  return KINDS[path.split("/").at(-2) ?? ""] ?? "Deployment";
}

function hashOf(template: unknown): string {
  return createHash("sha1").update(JSON.stringify(template)).digest("hex").slice(0, 8);
}

const ALPHABET = "bcdfghjklmnpqrstvwxz2456789";

function suffixOf(serial: number): string {
  let [text, rest] = ["", serial];
  for (let count = 0; count < 5; count++) {
    text = `${ALPHABET[rest % ALPHABET.length]}${text}`;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}

function share(value: unknown, of: number, round: (value: number) => number): number {
  return typeof value === "number" ? value : round((Number.parseFloat(String(value)) / 100) * of);
}

function placesByOwner(objects: ReadonlyMap<string, JsonObject>): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const [path, object] of objects) {
    const owner = PODS.test(path) ? objectOf(objectOf(object["metadata"])["annotations"])[OWNER] : undefined;
    if (typeof owner === "string") found.set(owner, (found.get(owner) ?? new Set()).add(path));
  }
  return found;
}
