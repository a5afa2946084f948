// The workload that a pod belongs to, as far as the pod's own metadata shows it. Makes no calls.

import type { ObjectMeta } from "@outrigger/pod";

/** A workload, by which telemetry names a pod. */
export interface Owner {
  readonly name: string;
  readonly namespace: string;
  readonly kind: string;
  readonly apiVersion: string;
}

const CRON_JOB_RUN = /^(.+)-[0-9]{8,10}$/;

/**
 * The workload of a pod with a generated name is its controller, or the controller's owner where the controller's name
 * and the pod's labels show it: the Deployment or Rollout of a ReplicaSet, the DeploymentConfig of a
 * ReplicationController, the CronJob of a Job. Every other pod is its own workload.
 *
 * @example
 * ```ts
 * ownerOf({ name: "web", namespace: "shop" }) // => { name: "web", namespace: "shop", kind: "Pod", apiVersion: "v1" }
 * ```
 */
export function ownerOf(metadata: ObjectMeta): Owner {
  const namespace = metadata.namespace ?? "";
  const name = metadata.name ?? "";
  const controller = metadata.generateName
    ? metadata.ownerReferences?.find((owner) => owner.controller === true)
    : undefined;
  if (controller === undefined) return { name, namespace, kind: "Pod", apiVersion: "v1" };
  const owner = ownerOfController(controller, metadata.labels ?? {});
  return { ...owner, name: owner.name || name, namespace };
}

type Reference = Omit<Owner, "namespace">;

function ownerOfController(controller: Reference, labels: Readonly<Record<string, string>>): Reference {
  const { name, kind, apiVersion } = controller;
  if (kind === "ReplicaSet") {
    const deployment = withoutHash(name, labels["pod-template-hash"]);
    if (deployment !== undefined) return { name: deployment, kind: "Deployment", apiVersion };
    const rollout = withoutHash(name, labels["rollouts-pod-template-hash"]);
    if (rollout !== undefined) return { name: rollout, kind: "Rollout", apiVersion: "v1alpha1" };
  }
  if (kind === "ReplicationController" && labels["deploymentconfig"]) {
    return { name: labels["deploymentconfig"], kind: "DeploymentConfig", apiVersion };
  }
  if (kind === "Job") {
    const cronJob = CRON_JOB_RUN.exec(name)?.[1];
    if (cronJob !== undefined) return { name: cronJob, kind: "CronJob", apiVersion: "batch/v1" };
  }
  return { name, kind, apiVersion };
}

/** The name before `-hash`; the whole name if there is no dash before the hash; undefined if it does not end in the hash. */
function withoutHash(name: string, hash: string | undefined): string | undefined {
  if (!hash || !name.endsWith(hash)) return undefined;
  return name.endsWith(`-${hash}`) ? name.slice(0, -hash.length - 1) : name;
}
