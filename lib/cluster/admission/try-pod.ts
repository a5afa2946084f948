// What an API server does with a pod of a workload: it is created as a dry run in the workload's own namespace, which makes none.
import { isObject, type JsonObject, listOf, OutriggerError, objectOf } from "@outrigger/base";
import { annotationKeys } from "@outrigger/injector";
import { containersOf } from "@outrigger/pod";
import type { KubeClient } from "../kube/kube-client.ts";
import { type Rejection, readRejection, refusesDryRuns } from "./read-rejection.ts";

/** The API server's answer to a dry run. */
export type Answer =
  | {
      readonly kind: "admitted";
      readonly isInjected: boolean;
      /** What the API server and its webhooks warn of. */
      readonly warnings: readonly string[];
      /** What keeps the pod from running all the same. */
      readonly obstacles: readonly Obstacle[];
    }
  | ({ readonly kind: "rejected" } & Rejection)
  | { readonly kind: "untried"; readonly why: string };

export interface Obstacle {
  readonly problem: string;
  readonly remediation: string;
}

/** Tries a pod as its controller would make it. */
export async function tryPod(
  kube: KubeClient,
  namespace: string,
  name: string,
  { metadata, spec }: JsonObject,
): Promise<Answer> {
  const { labels = {}, annotations = {} } = objectOf(metadata);
  const place = { generateName: `${name}-`.slice(0, 58), namespace };
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { ...place, labels, annotations }, spec: spec ?? {} };
  const warnings: string[] = [];
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`;
  try {
    const made = await kube.createDryRun(path, pod, (warning) => void warnings.push(warning));
    return { kind: "admitted", isInjected: isInjected(made), warnings, obstacles: obstaclesOf(made) };
  } catch (error) {
    if (!(error instanceof OutriggerError)) throw error;
    const { code, message } = error;
    if (code === "cluster-denied") return { kind: "untried", why: `not allowed to create pods in ${namespace}` };
    const isAnswer = code === "cluster-refused" || code === "cluster-webhook-failed" || code === "cluster-conflict";
    if (!isAnswer || refusesDryRuns(message)) return { kind: "untried", why: message };
    return { kind: "rejected", ...readRejection(message, { namespace }) };
  }
}

function isInjected({ metadata }: JsonObject): boolean {
  return objectOf(objectOf(metadata)["annotations"])[annotationKeys.status] !== undefined;
}

const FARGATE_SCHEDULER = "fargate-scheduler";

/**
 * EKS's own webhook marks pods that a Fargate profile selects. Fargate runs no privileged container, no DaemonSet and so no
 * CNI plugin, and none with an added capability (AWS's "Simplify compute management with AWS Fargate", considerations).
 */
function obstaclesOf({ spec }: JsonObject): readonly Obstacle[] {
  if (objectOf(spec)["schedulerName"] !== FARGATE_SCHEDULER) return [];
  const added = containersOf(spec).flatMap(({ name, securityContext }) => {
    const { capabilities, privileged } = objectOf(securityContext);
    const add = listOf(isObject(capabilities) ? capabilities["add"] : undefined).map(String);
    return [...add, ...(privileged === true ? ["privileged"] : [])].map((what) => `${what} of ${String(name)}`);
  });
  if (added.length === 0) return [];
  return [
    {
      problem: `a Fargate profile selects the pod, and Fargate does not run it: ${added.join(", ")}`,
      remediation:
        'run the workload on nodes (change the profile\'s selectors), or leave it out: label its pods sidecar.istio.io/inject: "false"',
    },
  ];
}
