// The controllers of the fake cluster, and more for tests: StatefulSets, DaemonSets, Argo's Rollouts, budgets, and nodes that resize
// containers where they run.
import { type JsonObject, jsonEqual, objectOf, objectsOf } from "@outrigger/base";
import {
  type ControllerOptions,
  type Fate,
  runningContainers,
  workloadControllers as shippedControllers,
} from "@outrigger/fake-aws";
import { matchesLabelSelector, type Pod, parseLabelSelector } from "@outrigger/pod";

/** The fate of a pod, and of its node. */
export interface TestFate extends Fate {
  /** The image of this container cannot be pulled. */
  readonly unpulled?: string;
  /** A container that ends once, this many milliseconds after the pod was made, and runs again. */
  readonly endsOnce?: { readonly container: string; readonly after: number; readonly reason?: string };
  /** Milliseconds until it has new resources; left out, at once. */
  readonly resize?: number | "Infeasible" | "Deferred";
  /** Whether its kubelet is before 1.32, and does not start a native sidecar again for a new image. */
  readonly keepsSidecars?: boolean;
}

export type TestControllerOptions = Omit<ControllerOptions<TestFate>, "statusOf" | "more"> & {
  /** The number of the cluster's nodes: a DaemonSet has a pod on each. */
  readonly nodes?: number;
};

type MoreKinds = NonNullable<ControllerOptions["more"]>;
type ControllerTools = Parameters<MoreKinds>[0];
type Reconcile = ReturnType<MoreKinds>[string];

const PODS = /^\/api\/v1\/namespaces\/[^/]+\/pods\/[^/]+$/;

/** One step of every controller: pods age, controllers act, budgets are counted. */
export function workloadControllers({ nodes = 3, ...options }: TestControllerOptions) {
  const { api, now } = options;
  const [resized, kept] = [resizingNode(now), oldKubelet()];
  const statusOf = (pod: JsonObject, fate: TestFate, status: JsonObject) =>
    kept(pod, fate, resized(pod, fate, withMishaps(pod, fate, status, now())));
  const more = (tools: ControllerTools): Readonly<Record<string, Reconcile>> => ({
    statefulsets: orderPods(tools),
    daemonsets: onEachNode(tools, nodes),
    rollouts: restartRollout(tools),
  });
  const controllers = shippedControllers<TestFate>({ ...options, statusOf, more });

  async function tick(): Promise<void> {
    await controllers.tick();
    for (const [path, object] of [...api.objects]) {
      if (!path.includes("/poddisruptionbudgets/")) continue;
      const { healthy, least } = budgetOf(api.objects, path, object);
      const status = { disruptionsAllowed: Math.max(0, healthy - least) };
      if (!jsonEqual(object["status"] ?? null, status)) api.put(path, { ...object, status });
    }
  }

  /** Repeats a step until nothing changes any more. */
  async function settle(step: () => void, most = 200): Promise<void> {
    const fingerprint = () =>
      [...api.objects].map(([path, object]) => path + String(objectOf(object["metadata"])["resourceVersion"])).join();
    for (let count = 0; count < most; count++) {
      const before = fingerprint();
      step();
      await tick();
      if (before === fingerprint() && count > 5) return;
    }
  }

  return { tick, settle, podsOf: controllers.podsOf };
}

/** Returns what a node reports of an image that cannot be pulled, and of a container that ended once. */
function withMishaps(pod: JsonObject, { unpulled, endsOnce }: TestFate, status: JsonObject, now: number): JsonObject {
  if (unpulled === undefined && endsOnce === undefined) return status;
  const born = Date.parse(String(objectOf(pod["metadata"])["creationTimestamp"]));
  const [condition] = objectsOf(status["conditions"]);
  const mishap = (one: JsonObject): JsonObject => {
    const { name, restartCount } = one;
    if (endsOnce !== undefined && endsOnce.container === name && now - born >= endsOnce.after) {
      const finishedAt = new Date(born + endsOnce.after).toISOString();
      const lastState = { terminated: { exitCode: 1, reason: endsOnce.reason ?? "Error", finishedAt } };
      const ready = condition?.["status"] === "True";
      return { name, ready, restartCount: 1, state: { running: {} }, lastState } as JsonObject;
    }
    if (unpulled !== name) return one;
    return { name, ready: false, restartCount, state: { waiting: { reason: "ImagePullBackOff" } } } as JsonObject;
  };
  const lists = ["containerStatuses", "initContainerStatuses"].filter((list) => status[list] !== undefined);
  return { ...status, ...Object.fromEntries(lists.map((list) => [list, objectsOf(status[list]).map(mishap)])) };
}

/** Returns what a node reports whose kubelet keeps native sidecars as they were started. */
function oldKubelet() {
  const started = new Map<string, JsonObject>();
  return (pod: JsonObject, { keepsSidecars }: TestFate, status: JsonObject): JsonObject => {
    if (keepsSidecars !== true || status["initContainerStatuses"] === undefined) return status;
    const initContainerStatuses = objectsOf(status["initContainerStatuses"]).map((one) => {
      const key = `${String(objectOf(pod["metadata"])["uid"])}/${String(one["name"])}`;
      const { image, state } = started.get(key) ?? one;
      started.set(key, { image, state } as JsonObject);
      return { ...one, image, state } as JsonObject;
    });
    return { ...status, initContainerStatuses };
  };
}

/** Returns what a node that resizes reports besides. */
function resizingNode(now: () => number) {
  /** Container of a pod → the resources that its node gives it, and since when others are asked for. */
  const given = new Map<string, { readonly resources: JsonObject; readonly asked?: number }>();

  function resourcesOf(
    object: JsonObject,
    { name, resources }: JsonObject,
    resize: TestFate["resize"] = 0,
  ): JsonObject {
    const key = `${String(objectOf(object["metadata"])["uid"])}/${String(name)}`;
    const wanted = objectOf(resources);
    const known = given.get(key) ?? { resources: wanted };
    const asked = jsonEqual(known.resources, wanted) ? undefined : (known.asked ?? now());
    const isDone = asked === undefined || (typeof resize === "number" && now() - asked >= resize);
    given.set(key, isDone ? { resources: wanted } : { resources: known.resources, asked });
    return isDone ? wanted : known.resources;
  }

  return (pod: JsonObject, { resize }: TestFate, status: JsonObject): JsonObject => {
    const running = runningContainers(pod);
    const resourcesIn = new Map(running.map((one) => [one["name"], resourcesOf(pod, one, resize)]));
    const isResized = running.every(({ name, resources }) =>
      jsonEqual(resourcesIn.get(name) ?? {}, objectOf(resources)),
    );
    if (isResized) return status;
    const resized = (statuses: unknown) =>
      objectsOf(statuses).map((one) =>
        one["resources"] === undefined ? one : { ...one, resources: resourcesIn.get(one["name"]) ?? {} },
      );
    const { conditions, containerStatuses, initContainerStatuses } = status;
    return {
      ...status,
      conditions: [...objectsOf(conditions), resizeCondition(resize)],
      ...(initContainerStatuses !== undefined && { initContainerStatuses: resized(initContainerStatuses) }),
      containerStatuses: resized(containerStatuses),
    };
  };
}

function resizeCondition(resize: TestFate["resize"]): JsonObject {
  if (typeof resize !== "string") return { type: "PodResizeInProgress", status: "True" };
  const message =
    resize === "Infeasible"
      ? "Node didn't have enough capacity: cpu, requested: 64000"
      : "Node didn't have enough resource: cpu";
  return { type: "PodResizePending", status: "True", reason: resize, message };
}

function orderPods({ podsOf, makePod, removePod, update }: ControllerTools): Reconcile {
  return async (workload) => {
    const { path, object, revision, pods } = workload;
    const spec = objectOf(object["spec"]);
    const wanted = Number(spec["replicas"] ?? 1);
    const before = String(objectOf(object["status"])["currentRevision"] ?? revision);
    const byOrdinal = new Map(pods.map((one) => [Number(/-(\d+)$/.exec(one.path)?.[1]), one]));
    const partition = Number(objectOf(objectOf(spec["updateStrategy"])["rollingUpdate"])["partition"] ?? 0);
    const onDelete = objectOf(spec["updateStrategy"])["type"] === "OnDelete";
    const missing = Array.from({ length: wanted }, (_, ordinal) => ordinal).find(
      (ordinal) => !byOrdinal.get(ordinal)?.isAvailable,
    );
    if (missing !== undefined && !byOrdinal.has(missing))
      await makePod(workload, { label: "controller-revision-hash", owner: "StatefulSet", ordinal: missing });
    else if (missing === undefined && !onDelete) {
      const old = [...byOrdinal]
        .filter(([ordinal, { isNew }]) => !isNew && ordinal >= partition)
        .sort(([a], [b]) => b - a)[0];
      if (old !== undefined) removePod(old[1].path);
    }
    // A pod that is not ready holds up the others, of whichever revision: a person has to delete it (kubernetes#67250).
    const after = podsOf(path, object, revision);
    const updated = after.filter(({ isNew }) => isNew).length;
    const ready = after.filter(({ isReady }) => isReady).length;
    update(path, object, {
      observedGeneration: objectOf(object["metadata"])["generation"] ?? 1,
      replicas: after.length,
      readyReplicas: ready,
      availableReplicas: after.filter(({ isAvailable }) => isAvailable).length,
      updatedReplicas: updated,
      updateRevision: revision,
      currentRevision: updated === wanted && ready === wanted ? revision : before,
    } as JsonObject);
  };
}

function onEachNode({ podsOf, makePod, removePod, update }: ControllerTools, nodes: number): Reconcile {
  return async (workload) => {
    const { path, object, revision, pods } = workload;
    const { type } = objectOf(objectOf(object["spec"])["updateStrategy"]);
    if (pods.length < nodes) await makePod(workload, { label: "controller-revision-hash", owner: "DaemonSet" });
    else if (type !== "OnDelete") {
      const old = pods.filter(({ isNew }) => !isNew);
      const victim = old.find(({ isAvailable }) => !isAvailable) ?? old[0];
      const isSpare = pods.every(({ isAvailable }) => isAvailable) || victim?.isAvailable === false;
      if (victim !== undefined && isSpare) removePod(victim.path);
    }
    const after = podsOf(path, object, revision);
    update(path, object, {
      observedGeneration: objectOf(object["metadata"])["generation"] ?? 1,
      desiredNumberScheduled: nodes,
      currentNumberScheduled: after.length,
      updatedNumberScheduled: after.filter(({ isNew }) => isNew).length,
      numberReady: after.filter(({ isReady }) => isReady).length,
      numberAvailable: after.filter(({ isAvailable }) => isAvailable).length,
    } as JsonObject);
  };
}

function restartRollout({ podsOf, makePod, removePod, update }: ControllerTools): Reconcile {
  return async (workload) => {
    const { path, object, revision, pods } = workload;
    const { replicas, restartAt } = objectOf(object["spec"]);
    const wanted = Number(replicas ?? 1);
    const since = restartAt === undefined ? 0 : Date.parse(String(restartAt));
    const old = pods.filter((pod) => Date.parse(String(objectOf(pod.object["metadata"])["creationTimestamp"])) < since);
    const [first] = old;
    if (pods.length < wanted) await makePod(workload, { label: "rollouts-pod-template-hash", owner: "ReplicaSet" });
    else if (first !== undefined && pods.every(({ isAvailable }) => isAvailable)) removePod(first.path);
    const after = podsOf(path, object, revision);
    const isHealthy = after.length === wanted && after.every(({ isAvailable }) => isAvailable);
    update(path, object, {
      observedGeneration: String(objectOf(object["metadata"])["generation"] ?? 1),
      phase: isHealthy && old.length === 0 ? "Healthy" : "Progressing",
      ...(old.length === 0 && restartAt !== undefined && { restartedAt: restartAt }),
    } as JsonObject);
  };
}

/**
 * The number of a budget's healthy pods, and the number that must be healthy, of those that their workloads are to have, as its controller
 * counts.
 */
export function budgetOf(objects: ReadonlyMap<string, JsonObject>, path: string, budget: JsonObject) {
  const { selector, minAvailable, maxUnavailable } = objectOf(budget["spec"]);
  const namespace = /namespaces\/([^/]+)\//.exec(path)?.[1] ?? "";
  const parsed = parseLabelSelector(selector ?? {}, "selector");
  const isOver = (one: unknown) => matchesLabelSelector(parsed, (one as Pod).metadata?.labels ?? {});
  const isIn = ([place]: readonly [string, JsonObject]) => place.includes(`/namespaces/${namespace}/`);
  const all = [...objects].filter(isIn);
  const covered = all.filter(([place, pod]) => PODS.test(place) && isOver(pod)).map(([, pod]) => pod);
  const healthy = covered.filter(
    (pod) => objectsOf(objectOf(pod["status"])["conditions"])[0]?.["status"] === "True",
  ).length;
  const workloads = all.filter(
    ([place, { spec }]) => place.startsWith("/apis/") && isOver(objectOf(spec)["template"] ?? {}),
  );
  const wanted = workloads.reduce((sum, [place, { spec, status }]) => {
    const { desiredNumberScheduled } = objectOf(status);
    return (
      sum + Number(place.includes("/daemonsets/") ? (desiredNumberScheduled ?? 0) : (objectOf(spec)["replicas"] ?? 1))
    );
  }, 0);
  const share = (value: unknown) =>
    typeof value === "number" ? value : Math.ceil((Number.parseFloat(String(value)) / 100) * wanted);
  const least = minAvailable === undefined ? wanted - share(maxUnavailable ?? 1) : share(minAvailable);
  return { healthy, least, covered };
}
