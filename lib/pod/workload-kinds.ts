// The kinds of workload that pods come from, by kubectl's names and short names, and where their pods are in them.

/** A kind of workload: its names, where the API server has it, and where its pod is. */
export interface WorkloadKind {
  readonly kind: string;
  /** Empty for the core group. */
  readonly group: string;
  /** `/apis/apps/v1` */
  readonly api: string;
  readonly plural: string;
  /** Where the pod's metadata and spec are; empty for a pod itself. */
  readonly template: readonly string[];
  /** kubectl's names, the shortest first. */
  readonly names: readonly string[];
}

/** Every kind that kubectl knows, and Argo's rollouts. */
export const workloadKinds: readonly WorkloadKind[] = [
  kind("po pod pods", "Pod", "", "v1", []),
  kind("deploy deployment deployments", "Deployment", "apps", "v1"),
  kind("sts statefulset statefulsets", "StatefulSet", "apps", "v1"),
  kind("ds daemonset daemonsets", "DaemonSet", "apps", "v1"),
  kind("rs replicaset replicasets", "ReplicaSet", "apps", "v1"),
  kind("rc replicationcontroller replicationcontrollers", "ReplicationController", "", "v1"),
  kind("job jobs", "Job", "batch", "v1"),
  kind("cj cronjob cronjobs", "CronJob", "batch", "v1", ["spec", "jobTemplate", "spec", "template"]),
  kind("ro rollout rollouts", "Rollout", "argoproj.io", "v1alpha1"),
];

function kind(
  names: string,
  kind: string,
  group: string,
  version: string,
  template: readonly string[] = ["spec", "template"],
): WorkloadKind {
  const all = names.split(" ");
  const api = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  return { kind, group, api, plural: all.at(-1) ?? "", template, names: all };
}
