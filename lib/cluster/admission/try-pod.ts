// What an API server does with a pod of a workload: it is created as a dry run in the workload's own namespace, which makes none. Also who
// else is asked about it, and what the workload's controller could not make.
import { injectionKeys, type JsonObject, listOf, metadataKeys, objectOf, ownError } from "@outrigger/base";
import { containersOf, metadataOf } from "@outrigger/pod";
import { learn } from "../fact.ts";
import type { KubeClient } from "../kube/kube-client.ts";
import { failuresIn, readCreationFailures } from "./creation-failures.ts";
import { nextPodOf } from "./next-pod.ts";
import { readOtherWebhooks } from "./other-webhooks.ts";
import { type Rejection, type RejectionCause, readRejection, refusesDryRuns } from "./read-rejection.ts";

/** The API server's answer to a dry run. */
export type Answer =
  | {
      readonly kind: "admitted";
      readonly isInjected: boolean;
      /** The warnings of the API server and its webhooks. */
      readonly warnings: readonly string[];
      /** The obstacles that keep the pod from running all the same. */
      readonly obstacles: readonly Readonly<Record<"problem" | "remediation", string>>[];
    }
  | ({
      readonly kind: "rejected";
      /** The pod is rejected without a sidecar too. */
      readonly isOwn?: true;
    } & Rejection)
  | { readonly kind: "untried"; readonly why: string; readonly cause: "denied" | "unanswered" | "undecided" };

interface Trial {
  /** The pod as a release that is not served yet injects it: it is sent in its place, and no injector changes it. */
  readonly injected?: JsonObject | undefined;
  /** The label by which the pod asks for injection, where it is no label of Istio's. */
  readonly injectionLabel?: string | undefined;
  /** Is given the pod as the API server admits it. */
  readonly onAdmitted?: (pod: JsonObject) => void;
}

/** Tries a pod as its controller would make it. */
export async function tryPod(
  kube: Pick<KubeClient, "createDryRun">,
  namespace: string,
  name: string,
  pod: JsonObject,
  { injected, injectionLabel, onAdmitted }: Trial = {},
): Promise<Answer> {
  const place = { generateName: `${name}-`.slice(0, 58), namespace };
  const sent = ({ metadata, spec }: JsonObject, own: JsonObject) => {
    const { labels = {}, annotations = {}, ownerReferences } = objectOf(metadata);
    const owners = listOf(ownerReferences).length > 0 ? { ownerReferences } : {};
    const given = { annotations, ...owners } as JsonObject;
    return {
      ...{ apiVersion: "v1", kind: "Pod" },
      metadata: { ...place, ...given, labels: { ...objectOf(labels), ...own } },
      spec: spec ?? {},
    };
  };
  const keys = injectionKeys(injectionLabel);
  const optedOut = { [keys.inject]: "false" };
  const warnings: string[] = [];
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`;
  try {
    const first = injected === undefined ? sent(pod, {}) : sent(injected, optedOut);
    const made = await kube.createDryRun(path, first, (warning) => void warnings.push(warning));
    onAdmitted?.(made);
    const isInjected = metadataOf(made).annotations[keys.status] !== undefined;
    return { kind: "admitted", isInjected, warnings, obstacles: obstaclesOf(made, keys.inject) };
  } catch (error) {
    const { code, message } = ownError(error);
    if (code === "cluster-denied")
      return { kind: "untried", cause: "denied", why: `not allowed to create pods in ${namespace}` };
    if (code === "cluster-unreachable") return { kind: "untried", cause: "unanswered", why: message };
    const isAnswer = code === "cluster-refused" || code === "cluster-webhook-failed" || code === "cluster-conflict";
    if (!isAnswer || refusesDryRuns(message)) return { kind: "untried", cause: "undecided", why: message };
    const rejection = readRejection(message, { namespace });
    const without = () => kube.createDryRun(path, sent(pod, optedOut));
    const isOwn = !OF_SIDECAR.has(rejection.cause) && (await isRejectedAlso(without, rejection, namespace));
    // What a service account needs is the same with a sidecar and without.
    const remediation = isOwn && rejection.cause !== "service-account" ? OWN_REMEDY : rejection.remediation;
    return { kind: "rejected", ...rejection, remediation, ...(isOwn && { isOwn }) };
  }
}

/** Who rejects nothing that has no sidecar. */
const OF_SIDECAR: ReadonlySet<RejectionCause> = new Set(["own-certificate", "own-token", "own-webhook", "own-denial"]);

const OWN_REMEDY = "the pod is rejected without a sidecar, too: correct the workload";

/** Whether the same component rejects the pod without a sidecar. */
async function isRejectedAlso(without: () => Promise<JsonObject>, { cause }: Rejection, namespace: string) {
  try {
    await without();
    return false;
  } catch (error) {
    return readRejection(ownError(error).message, { namespace }).cause === cause;
  }
}

/**
 * EKS's own webhook marks pods that a Fargate profile selects. Fargate runs no privileged container, no DaemonSet and so no
 * CNI plugin, and none with an added capability (AWS's "Simplify compute management with AWS Fargate", considerations).
 */
function obstaclesOf({ spec }: JsonObject, label: string) {
  if (objectOf(spec)["schedulerName"] !== "fargate-scheduler") return [];
  const added = containersOf(spec).flatMap(({ name, securityContext }) => {
    const { capabilities, privileged } = objectOf(securityContext);
    const add = listOf(objectOf(capabilities)["add"]).map(String);
    return [...add, ...(privileged === true ? ["privileged"] : [])].map((what) => `${what} of ${String(name)}`);
  });
  if (added.length === 0) return [];
  const problem = `a Fargate profile selects the pod, and Fargate does not run it: ${added.join(", ")}`;
  const remediation = `run the workload on nodes (change the profile's selectors), or leave it out: label its pods ${label}: "false"`;
  return [{ problem, remediation }];
}

interface WorkloadToTry {
  readonly name: string;
  readonly namespace: string;
  readonly namespaceLabels: Readonly<Record<string, string>>;
  /** `{metadata, spec}` of its pods. */
  readonly pod: JsonObject;
  /** The workload as the cluster has it; left out for one that is not there yet. */
  readonly object?: JsonObject;
  /** The label by which its pods ask for injection, where it is no label of Istio's. */
  readonly injectionLabel?: string | undefined;
}

/**
 * Asks an API server what happens to a workload's pods. Nothing is made: the pod is a dry run. What cannot be asked is said with the
 * reason.
 *
 * @throws OutriggerError only where the API server cannot be reached
 */
export async function tryWorkload(kube: KubeClient, workload: WorkloadToTry) {
  const { name, namespace, namespaceLabels, pod, object, injectionLabel } = workload;
  const next = object?.["kind"] === "StatefulSet" ? nextPodOf(object) : pod;
  const labels = { ...namespaceLabels, [metadataKeys.namespaceName]: namespace };
  return {
    answer: await tryPod(kube, namespace, name, next, { injectionLabel }),
    otherWebhooks: await learn(async () => (await readOtherWebhooks(kube))(labels, metadataOf(pod).labels)),
    failures: await learn(async () => (object === undefined ? [] : failuresOf(kube, namespace, name, object))),
  };
}

async function failuresOf(kube: KubeClient, namespace: string, name: string, object: JsonObject) {
  const inConditions = failuresIn(object, namespace);
  if (inConditions.length > 0) return inConditions;
  // Made by the workload, or by its ReplicaSet or Job, which are named after it.
  const own = new RegExp(`/${name.replaceAll(".", "\\.")}(-[a-z0-9]+)?$`);
  return (await readCreationFailures(kube, namespace)).filter(({ owner }) => own.test(owner));
}
