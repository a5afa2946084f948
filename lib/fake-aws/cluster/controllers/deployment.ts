// The controller of Deployments: as many new pods as the surge lets it make, and as many old ones gone as may be missing.
import { type JsonObject, objectOf } from "@outrigger/base";
import type { ControllerTools, MadePod, Reconcile, Workload } from "./reconcile.ts";

export function deploymentController({ now, podsOf, makePod, removePod, update }: ControllerTools): Reconcile {
  /** Path of a Deployment → when its rollout made progress last, and how far it was. */
  const progress = new Map<string, { readonly mark: string; readonly at: number }>();
  /** Path → the revision whose rollout was complete: its pods may be down after that, and no deadline counts. */
  const completed = new Map<string, string>();

  function isLate(path: string, mark: readonly unknown[], deadline: number): boolean {
    const text = JSON.stringify(mark);
    const known = progress.get(path);
    if (known?.mark !== text) progress.set(path, { mark: text, at: now() });
    return known !== undefined && known.mark === text && now() - known.at > deadline;
  }

  return async (workload) => {
    const { path, object, revision } = workload;
    const spec = objectOf(object["spec"]);
    const wanted = Number(spec["replicas"] ?? 1);
    const failure = await replacePods(workload, wanted);
    const after = podsOf(path, object, revision);
    const updated = after.filter(({ isNew }) => isNew);
    const available = after.filter(({ isAvailable }) => isAvailable);
    const isComplete = updated.length === wanted && after.length === wanted && available.length >= wanted;
    const deadline = Number(spec["progressDeadlineSeconds"] ?? 600) * 1000;
    if (isComplete) completed.set(path, revision);
    const reason =
      isComplete || (completed.get(path) === revision && after.length === updated.length)
        ? "NewReplicaSetAvailable"
        : isLate(path, [revision, updated.length, available.length, after.length], deadline)
          ? "ProgressDeadlineExceeded"
          : "ReplicaSetUpdated";
    const failed = { type: "ReplicaFailure", status: "True", reason: "FailedCreate", message: failure };
    update(path, object, {
      observedGeneration: objectOf(object["metadata"])["generation"] ?? 1,
      replicas: after.length,
      updatedReplicas: updated.length,
      readyReplicas: after.filter(({ isReady }) => isReady).length,
      availableReplicas: available.length,
      conditions: [
        { type: "Progressing", status: reason === "ProgressDeadlineExceeded" ? "False" : "True", reason },
        ...(failure === undefined ? [] : [failed]),
      ],
    } as JsonObject);
  };

  async function replacePods(workload: Workload, wanted: number): Promise<string | undefined> {
    const { pods } = workload;
    const { type, rollingUpdate } = objectOf(objectOf(workload.object["spec"])["strategy"]);
    const { maxSurge = "25%", maxUnavailable = "25%" } = objectOf(rollingUpdate);
    const surge = share(maxSurge, wanted, Math.ceil);
    const spare = share(maxUnavailable, wanted, Math.floor) || (surge === 0 ? 1 : 0);
    const [fresh, old] = [pods.filter(({ isNew }) => isNew), pods.filter(({ isNew }) => !isNew)];
    let failure: string | undefined;
    const isRecreate = type === "Recreate";
    const most = isRecreate ? (old.length === 0 ? wanted : 0) : wanted + surge - pods.length;
    for (let count = 0; count < Math.min(most, wanted - fresh.length) && failure === undefined; count++)
      failure = await makePod(workload, { label: "pod-template-hash", owner: "ReplicaSet" });
    const least = wanted - spare;
    const gone = isRecreate ? old : replaceable(pods, old, fresh, least);
    for (const { path } of [...surplus(fresh, wanted), ...gone]) removePod(path);
    return failure;
  }
}

/** New pods beyond those that are wanted, as after `kubectl scale`: a ReplicaSet removes those that are not available first. */
function surplus(fresh: readonly MadePod[], wanted: number): readonly MadePod[] {
  const [up, down] = [fresh.filter(({ isAvailable }) => isAvailable), fresh.filter(({ isAvailable }) => !isAvailable)];
  return [...down, ...up].slice(0, Math.max(0, fresh.length - wanted));
}

/** Old pods that may go: broken ones first, then as many as are available beyond the least. */
function replaceable(pods: readonly MadePod[], old: readonly MadePod[], fresh: readonly MadePod[], least: number) {
  const unready = fresh.filter(({ isAvailable }) => !isAvailable).length;
  const broken = old.filter(({ isReady }) => !isReady).slice(0, Math.max(0, pods.length - least - unready));
  const down = pods.filter(({ isAvailable }) => isAvailable).length - least;
  const rest = old.filter((one) => !broken.includes(one) && one.isAvailable).slice(0, Math.max(0, down));
  return [...broken, ...rest];
}

/** A number, or a percentage of one. */
function share(value: unknown, of: number, round: (value: number) => number): number {
  return typeof value === "number" ? value : round((Number.parseFloat(String(value)) / 100) * of);
}
