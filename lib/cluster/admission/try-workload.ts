// Everything that an API server does with the pods of a workload before they run: its answer to one, who else is asked, and
// what the workload's controller could not make.
import type { JsonObject } from "@outrigger/base";
import { type Fact, learn } from "../check/finding.ts";
import type { KubeClient } from "../kube/kube-client.ts";
import { type CreationFailure, failuresIn, readCreationFailures } from "./creation-failures.ts";
import { type OtherWebhook, readOtherWebhooks } from "./other-webhooks.ts";
import { type Answer, tryPod } from "./try-pod.ts";

export interface WorkloadToTry {
  readonly name: string;
  readonly namespace: string;
  readonly namespaceLabels: Readonly<Record<string, string>>;
  /** `{metadata, spec}` of its pods. */
  readonly pod: JsonObject;
  /** As the cluster has it; left out for one that is not there yet. */
  readonly object?: JsonObject;
}

/** What cannot be asked is said with the reason. */
export interface TriedWorkload {
  readonly answer: Answer;
  readonly otherWebhooks: Fact<readonly OtherWebhook[]>;
  readonly failures: Fact<readonly CreationFailure[]>;
}

/**
 * Asks an API server what becomes of a workload's pods. Nothing is made: the pod is a dry run.
 *
 * @throws OutriggerError only where the API server cannot be reached
 */
export async function tryWorkload(kube: KubeClient, workload: WorkloadToTry): Promise<TriedWorkload> {
  const { name, namespace, namespaceLabels, pod, object } = workload;
  const labels = { ...namespaceLabels, "kubernetes.io/metadata.name": namespace };
  const podLabels = ((pod["metadata"] as JsonObject | undefined)?.["labels"] ?? {}) as Readonly<Record<string, string>>;
  return {
    answer: await tryPod(kube, namespace, name, pod),
    otherWebhooks: await learn(async () => (await readOtherWebhooks(kube))(labels, podLabels)),
    failures:
      object === undefined ? { known: true, value: [] } : await learn(() => failuresOf(kube, namespace, name, object)),
  };
}

async function failuresOf(
  kube: KubeClient,
  namespace: string,
  name: string,
  object: JsonObject,
): Promise<readonly CreationFailure[]> {
  const inConditions = failuresIn(object, namespace);
  if (inConditions.length > 0) return inConditions;
  // Made by the workload, or by its ReplicaSet or Job, which are named after it.
  const own = new RegExp(`/${name.replaceAll(".", "\\.")}(-[a-z0-9]+)?$`);
  return (await readCreationFailures(kube, namespace)).filter(({ owner }) => own.test(owner));
}
