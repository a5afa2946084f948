// What a node reports of a pod: which containers run, since when, and whether they are ready. How a pod fares is a script.
import { type JsonObject, objectOf, objectsOf } from "@outrigger/base";

/** The fate of a pod: what happens to it, and when. */
export interface Fate {
  /** Milliseconds until it is ready; left out, it never is. */
  readonly readyAfter?: number;
  /** The container that ends again and again. */
  readonly crashes?: { readonly container: string; readonly exitCode: number; readonly reason?: string };
  /** The pod begins to crash this many milliseconds after it became ready. */
  readonly fallsAfter?: number;
}

/**
 * Gives the `status` of a pod, again and again: another image in a pod is another start of that container alone. A status that says what the
 * last one said is the same object.
 */
export function podNode(now: () => number): (pod: JsonObject, fate: Fate) => JsonObject {
  /** UID of a pod → its last status, with what that depends on besides the spec. */
  const reported = new Map<string, { readonly spec: unknown; readonly from: string; readonly status: JsonObject }>();
  /** Container of a pod → what its node runs. */
  const runs = new Map<string, { readonly image: unknown; readonly since: number; readonly changes: number }>();

  function runOf(pod: JsonObject, { name, image }: JsonObject) {
    const { uid, creationTimestamp } = objectOf(pod["metadata"]);
    const key = `${String(uid)}/${String(name)}`;
    const known = runs.get(key) ?? { image, since: Date.parse(String(creationTimestamp)), changes: 0 };
    const run = known.image === image ? known : { image, since: now(), changes: known.changes + 1 };
    runs.set(key, run);
    return run;
  }

  return (pod, fate) => {
    const { readyAfter: readyIn = Number.POSITIVE_INFINITY, fallsAfter } = fate;
    const { containers, initContainers } = objectOf(pod["spec"]);
    const running = runningContainers(pod);
    const last = Math.max(...running.map((container) => runOf(pod, container).since));
    const hasFallen = now() - last >= readyIn + (fallsAfter ?? Number.POSITIVE_INFINITY);
    const readyAfter = hasFallen ? Number.POSITIVE_INFINITY : readyIn;
    const crashes = fallsAfter === undefined || hasFallen ? fate.crashes : undefined;
    const isReady = now() - last >= readyAfter;
    const from = JSON.stringify([
      readyAfter,
      crashes,
      running.map((container) => {
        const { since, changes } = runOf(pod, container);
        const age = now() - since;
        return [since, changes, age >= readyAfter, crashes && Math.floor(age / 5000)];
      }),
    ]);
    const uid = String(objectOf(pod["metadata"])["uid"]);
    const known = reported.get(uid);
    if (known?.spec === pod["spec"] && known?.from === from) return known.status;
    const statusOf = (container: JsonObject) => {
      const { name, image, resources = {} } = container;
      const { since, changes } = runOf(pod, container);
      const age = now() - since;
      const startedAt = `${new Date(since).toISOString().slice(0, 19)}Z`;
      if (crashes !== undefined && crashes.container === name) {
        const { exitCode, reason = "Error" } = crashes;
        const restartCount = Math.floor(age / 5000) + changes;
        const state = { waiting: { reason: "CrashLoopBackOff" } };
        const finishedAt = new Date(since + Math.floor(age / 5000) * 5000).toISOString();
        return { name, ready: false, restartCount, state, lastState: { terminated: { exitCode, reason, finishedAt } } };
      }
      const state = { running: { startedAt } };
      return { name, image, ready: age >= readyAfter, restartCount: changes, resources, state };
    };
    const ended = ({ name, image }: JsonObject) => {
      return { name, image, ready: true, restartCount: 0, state: { terminated: {} } };
    };
    const readySince = isReady ? new Date(last + readyAfter).toISOString() : null;
    const status = {
      phase: "Running",
      conditions: [{ type: "Ready", status: isReady ? "True" : "False", lastTransitionTime: readySince }],
      ...(Array.isArray(initContainers) && {
        initContainerStatuses: objectsOf(initContainers).map((one) => (isSidecar(one) ? statusOf(one) : ended(one))),
      }),
      containerStatuses: objectsOf(containers).map(statusOf),
    } as JsonObject;
    reported.set(uid, { spec: pod["spec"], from, status });
    return status;
  };
}

/** Native sidecars and containers. */
export function runningContainers({ spec }: JsonObject): readonly JsonObject[] {
  const { containers, initContainers } = objectOf(spec);
  return [...objectsOf(initContainers).filter(isSidecar), ...objectsOf(containers)];
}

function isSidecar({ restartPolicy }: JsonObject): boolean {
  return restartPolicy === "Always";
}
