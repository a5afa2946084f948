// Trying one workload of each of some namespaces, in its own namespace: what an API server does with its pods there.
import type { JsonObject } from "@outrigger/base";
import { unlessDenied } from "../kube/kube-answer.ts";
import type { KubeClient } from "../kube/kube-client.ts";
import { nameOf } from "../objects/own-objects.ts";
import { nextPodOf } from "./next-pod.ts";
import { type Answer, tryPod } from "./try-pod.ts";

/** A workload that was tried, or the namespace in which none could be. */
export interface TriedWorkload {
  readonly namespace: string;
  /** `shop/Deployment/web`, or the namespace alone. */
  readonly workload: string;
  readonly answer: Answer;
  /** `{metadata, spec}` of its pods; left out where none was tried. */
  readonly template?: JsonObject;
}

/** The namespaces that are tried at most: each takes two requests, so that the whole takes a few seconds. */
const MOST = 20;

/**
 * Creates a pod of one Deployment of each namespace as a dry run. A namespace without a Deployment is left out; `left` counts those over
 * the bound.
 *
 * @param labelOf the label by which pods of a namespace ask for injection, where it is no label of Istio's
 */
export async function tryNamespaces(
  kube: KubeClient,
  namespaces: readonly string[],
  labelOf: (namespace: string) => string | undefined,
) {
  const names = namespaces.slice(0, MOST);
  const tried = await Promise.all(
    names.map(async (namespace): Promise<readonly TriedWorkload[]> => {
      const found = await findDeployment(kube, namespace).catch(unlessDenied);
      if (found === undefined) return [];
      if (found === "denied") {
        const why = `not allowed to list deployments of ${namespace}`;
        return [{ namespace, workload: namespace, answer: { kind: "untried", cause: "denied", why } }];
      }
      const template = nextPodOf(found);
      const answer = await tryPod(kube, namespace, nameOf(found), template, { injectionLabel: labelOf(namespace) });
      return [{ namespace, workload: `${namespace}/Deployment/${nameOf(found)}`, answer, template }];
    }),
  );
  return { tried: tried.flat(), left: namespaces.length - names.length };
}

async function findDeployment(kube: KubeClient, namespace: string): Promise<JsonObject | undefined> {
  const path = `/apis/apps/v1/namespaces/${encodeURIComponent(namespace)}/deployments`;
  for await (const object of kube.list(path, { limit: "1" })) return object;
  return undefined;
}
