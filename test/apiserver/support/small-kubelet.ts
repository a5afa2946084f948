// A small kubelet for tests: it runs no containers, and writes into the status of each pod what a test says becomes of it.
import { setTimeout as pause } from "node:timers/promises";
import { type JsonObject, jsonEqual, objectOf, objectsOf } from "@outrigger/base";
import { metadataOf } from "@outrigger/pod";
import type { RealApiServer } from "./real-api-server.ts";

/** What becomes of a pod. */
export type PodFate = "ready" | "late" | "crashing";

/** Milliseconds in which changes of several pods make one look. */
const TOGETHER = 100;
/** Milliseconds after which it looks without being told of a change. */
const SELDOM = 5000;

/** Looks at all pods when one has changed, or what becomes of them, until it is stopped. */
export function startSmallKubelet({ admin, setStatus, watch }: Pick<RealApiServer, "admin" | "setStatus" | "watch">) {
  let fateOf = (_pod: JsonObject): PodFate => "ready";
  let isStopped = false;
  let changed = () => {};
  const look = async () => {
    for await (const pod of admin.list("/api/v1/pods")) {
      const { namespace, name, deletionTimestamp } = metadataOf(pod);
      const fate = fateOf(pod);
      // An API server that is killed between the two writes of a deletion leaves the pod: the next write to it ends that.
      const isLeft = deletionTimestamp !== "";
      if ((runsItsImages(pod) && !isLeft) || fate === "late") continue;
      await setStatus(`/api/v1/namespaces/${namespace}/pods/${name}`, statusOf(pod, fate));
    }
  };
  const watching = watch("/api/v1/pods", () => changed());
  const loop = async () => {
    while (!isStopped) {
      const change = new Promise<void>((resolve) => {
        changed = resolve;
      });
      // The API server may be away, by a test's will.
      await look().catch(() => {});
      const over = new AbortController();
      await Promise.race([change, pause(SELDOM, undefined, { signal: over.signal }).catch(() => {})]);
      over.abort();
      await pause(TOGETHER);
    }
  };
  const ended = loop();
  return {
    set fateOf(decide: (pod: JsonObject) => PodFate) {
      fateOf = decide;
      changed();
    },
    async stop() {
      isStopped = true;
      watching.stop();
      changed();
      await ended;
    },
  };
}

/** Whether the status says so: a pod that was given other images where it runs is started anew. */
function runsItsImages({ spec, status }: JsonObject): boolean {
  const { phase, containerStatuses, initContainerStatuses } = objectOf(status);
  const { containers, initContainers } = objectOf(spec);
  const imagesOf = (...lists: readonly unknown[]) =>
    lists.flatMap(objectsOf).map(({ name, image }) => `${name} ${image}`);
  const wanted = imagesOf(initContainers, containers);
  return phase === "Running" && jsonEqual(imagesOf(initContainerStatuses, containerStatuses), wanted);
}

function statusOf(pod: JsonObject, fate: PodFate): JsonObject {
  const isReady = fate === "ready";
  const { containers, initContainers } = objectOf(pod["spec"]);
  const now = new Date().toISOString();
  const [running, waiting] = [{ running: { startedAt: now } }, { waiting: { reason: "CrashLoopBackOff" } }];
  const started = (isWell: boolean) => (one: JsonObject) => ({
    name: one["name"],
    image: one["image"],
    imageID: "",
    ready: isWell,
    started: isWell,
    restartCount: isWell ? 0 : 5,
    state: isWell ? running : waiting,
    ...(!isWell && { lastState: { terminated: { exitCode: 1, reason: "Error" } } }),
  });
  const conditions = ["PodScheduled", "Initialized", "ContainersReady", "Ready"].map((type) => ({
    type,
    status: isReady || type === "PodScheduled" ? "True" : "False",
    lastTransitionTime: now,
  }));
  return {
    phase: "Running",
    startTime: now,
    conditions,
    containerStatuses: objectsOf(containers).map(started(isReady)),
    initContainerStatuses: objectsOf(initContainers).map(started(true)),
  } as JsonObject;
}
