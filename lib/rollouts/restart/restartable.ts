// What can be restarted, and how: as `kubectl rollout restart` does, and by Argo's own field. Pure.
import { type JsonObject, objectOf } from "@outrigger/base";
import type { RunningWorkload } from "../running.ts";
import { rolloutStatus } from "./rollout-status.ts";

/** A workload by its name. */
export type WorkloadName = Pick<RunningWorkload, "namespace" | "kind" | "name">;

/** `shop/Deployment/web` */
export function textOfName({ namespace, kind, name }: WorkloadName): string {
  return `${namespace}/${kind}/${name}`;
}

/** The part of a workload's selector that is equal labels: at least its own pods have them. */
export function selectorOf(workload: JsonObject): string {
  const { matchLabels } = objectOf(objectOf(workload["spec"])["selector"]);
  return Object.entries(objectOf(matchLabels))
    .map(([key, value]) => `${key}=${String(value)}`)
    .join(",");
}

const KINDS: Readonly<Record<string, readonly [api: string, plural: string]>> = {
  Deployment: ["/apis/apps/v1", "deployments"],
  StatefulSet: ["/apis/apps/v1", "statefulsets"],
  DaemonSet: ["/apis/apps/v1", "daemonsets"],
  Rollout: ["/apis/argoproj.io/v1alpha1", "rollouts"],
};

/** Where the API server has a workload that can be restarted; undefined for other kinds. */
export function pathOfWorkload({ namespace, kind, name }: WorkloadName): string | undefined {
  const [api, plural] = KINDS[kind] ?? [];
  if (api === undefined) return undefined;
  return `${api}/namespaces/${encodeURIComponent(namespace)}/${plural}/${encodeURIComponent(name)}`;
}

/** kubectl's own annotation of a pod template: tools that know `kubectl rollout restart` know it. */
export const RESTARTED_AT = "kubectl.kubernetes.io/restartedAt";

/** @param at ISO 8601, UTC: the same for all workloads of a restart, so that each shows whether it was begun */
export function restartPatch(workload: JsonObject, at: string): JsonObject {
  // The version that was read: a workload that has changed since is looked at again.
  const metadata = { resourceVersion: objectOf(workload["metadata"])["resourceVersion"] };
  if (workload["kind"] === "Rollout") return { metadata, spec: { restartAt: at } } as JsonObject;
  const template = { metadata: { annotations: { [RESTARTED_AT]: at } } };
  return { metadata, spec: { template } } as JsonObject;
}

/** When a workload was restarted last, as it says itself. */
export function restartedAt({ kind, spec }: JsonObject): string | undefined {
  const { restartAt, template } = objectOf(spec);
  const annotations = objectOf(objectOf(objectOf(template)["metadata"])["annotations"]);
  const at = kind === "Rollout" ? restartAt : annotations[RESTARTED_AT];
  return typeof at === "string" ? at : undefined;
}

/**
 * Why a workload must be left to a person; undefined where it may be restarted.
 *
 * @param isUrgent whether one that is not healthy is restarted too: because of the release that it is to lose
 */
export function whyLeft(workload: JsonObject, isUrgent: boolean): string | undefined {
  const { paused, updateStrategy } = objectOf(workload["spec"]);
  const { name } = objectOf(workload["metadata"]);
  const kind = String(workload["kind"]).toLowerCase();
  if (paused === true) return `it is paused: resume it first (kubectl rollout resume ${kind}/${String(name)})`;
  const { type, rollingUpdate } = objectOf(updateStrategy);
  if (type === "OnDelete") return "its update strategy is OnDelete: delete its pods yourself";
  const { partition } = objectOf(rollingUpdate);
  if (typeof partition === "number" && partition > 0) return `its partition ${partition} keeps pods as they are`;
  if (isUrgent) return undefined;
  const { state, why } = rolloutStatus(workload);
  return state === "complete" ? undefined : `it was not healthy before: ${why}`;
}

/** What to do about workloads that no restart reaches. */
export function remedyOf(kind: string): string {
  if (kind === "Job" || kind === "CronJob") return "its next run gets the new release";
  if (kind === "Pod") return "it has no controller: delete it and create it again";
  return `a ${kind} has no rollout: delete its pods, one at a time`;
}
