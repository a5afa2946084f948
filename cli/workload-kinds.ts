// Owns the kinds of workload that a command line may name, by kubectl's names and short names, and where their pods are in them.
import { OutriggerError } from "../lib/errors.ts";
import { isObject, type JsonObject } from "../lib/json.ts";

export interface WorkloadKind {
  readonly kind: string;
  /** `/apis/apps/v1` */
  readonly api: string;
  readonly plural: string;
  /** Where the pod's metadata and spec are; empty for a pod itself. */
  readonly template: readonly string[];
}

const kind = (name: string, api: string, plural: string, template = ["spec", "template"]): WorkloadKind => ({
  kind: name,
  api,
  plural,
  template,
});

const KINDS: readonly (readonly [names: string, kind: WorkloadKind])[] = [
  ["po pod pods", kind("Pod", "/api/v1", "pods", [])],
  ["deploy deployment deployments", kind("Deployment", "/apis/apps/v1", "deployments")],
  ["sts statefulset statefulsets", kind("StatefulSet", "/apis/apps/v1", "statefulsets")],
  ["ds daemonset daemonsets", kind("DaemonSet", "/apis/apps/v1", "daemonsets")],
  ["rs replicaset replicasets", kind("ReplicaSet", "/apis/apps/v1", "replicasets")],
  [
    "rc replicationcontroller replicationcontrollers",
    kind("ReplicationController", "/api/v1", "replicationcontrollers"),
  ],
  ["job jobs", kind("Job", "/apis/batch/v1", "jobs")],
  ["cj cronjob cronjobs", kind("CronJob", "/apis/batch/v1", "cronjobs", ["spec", "jobTemplate", "spec", "template"])],
  ["ro rollout rollouts", kind("Rollout", "/apis/argoproj.io/v1alpha1", "rollouts")],
];

export interface NamedWorkload {
  readonly kind: WorkloadKind;
  readonly name: string;
}

/**
 * `deploy/web`, as kubectl reads it; a kind may be written with its group (`deployments.apps/web`).
 *
 * @throws OutriggerError `usage`
 */
export function parseWorkload(text: string): NamedWorkload {
  const [, word = "", name = ""] = /^([A-Za-z]+)(?:\.[a-z0-9.-]+)?\/([a-z0-9]([a-z0-9.-]*[a-z0-9])?)$/.exec(text) ?? [];
  const found = KINDS.find(([names]) => names.split(" ").includes(word.toLowerCase()));
  if (found !== undefined) return { kind: found[1], name };
  const known = KINDS.map(([names]) => names.split(" ")[0]).join(", ");
  throw new OutriggerError(
    "usage",
    `Cannot explain ${JSON.stringify(text.slice(0, 80))}: name a workload as deploy/web; the kinds are ${known}`,
  );
}

/** The pod that a workload makes; undefined where it has none, as a Rollout that refers to a Deployment. */
export function podOfWorkload(object: JsonObject, { template }: WorkloadKind): JsonObject | undefined {
  let value: unknown = object;
  for (const key of template) value = isObject(value) ? value[key] : undefined;
  return isObject(value) && isObject(value["spec"]) ? value : undefined;
}
