// The reading of a cluster's pods and namespaces, in pages: whatever counts, judges or lists running pods reads them here.
import { metadataKeys } from "@outrigger/base";
import { isRunning, metadataOf } from "@outrigger/pod";
import type { KubeClient } from "../kube/kube-client.ts";
import type { ListedPod } from "../kube/read-pod.ts";

/** The pods that are asked for. */
export interface RunningQuestion {
  readonly namespace?: string;
  /** kubectl's `-l`. */
  readonly selector?: string;
}

/** Pods that run, one after the other. Those that have ended, are being deleted or only mirror a node's own are left out. */
export async function* runningPods(
  kube: Pick<KubeClient, "pods">,
  { namespace, selector }: RunningQuestion = {},
): AsyncGenerator<ListedPod, void, undefined> {
  const path = namespace === undefined ? "/api/v1/pods" : `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`;
  const query = selector === undefined ? {} : { labelSelector: selector };
  for await (const pod of kube.pods(path, query)) if (isRunning(pod)) yield pod;
}

/** Namespace → its labels, among them its name, as API servers write it. */
export async function readNamespaces(kube: KubeClient): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>> {
  const namespaces = new Map<string, Readonly<Record<string, string>>>();
  for await (const namespace of kube.list("/api/v1/namespaces")) {
    const { name, labels } = metadataOf(namespace);
    namespaces.set(name, { [metadataKeys.namespaceName]: name, ...labels });
  }
  return namespaces;
}
