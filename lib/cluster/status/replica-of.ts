// What the replicas of a workload have in common, as text: equal texts are of pods that differ in nothing but what is generated for
// each of them. Pure.
import { type JsonObject, objectOf, objectsOf } from "@outrigger/base";
import { specText } from "../kube/read-pod.ts";

/** One of the pods that a controller has made. */
export interface Replica {
  /** The controller's uid. */
  readonly controller: string;
  /** Metadata and spec without the pod's own name, in whatever it is, its node's, and that of its token's volume. */
  readonly text: string;
}

/** Undefined for a pod without a controller, which has no replicas. */
export function replicaOf(pod: JsonObject): Replica | undefined {
  const { name, namespace, generateName, labels, annotations, ownerReferences } = objectOf(pod["metadata"]);
  const { uid } = objectsOf(ownerReferences).find(({ controller }) => controller === true) ?? {};
  if (typeof uid !== "string" || typeof name !== "string" || name === "") return undefined;
  const { [POD_INDEX]: _, ...general } = objectOf(labels);
  const written = JSON.stringify([namespace, generateName, general, annotations, ownerReferences]) + specText(pod);
  const [, node] = NODE.exec(written) ?? [];
  const unnamed = written.replaceAll(name, "\u0000").replaceAll(TOKEN_VOLUME, "\u0001");
  // A DaemonSet's pods name it in their affinity too. Control characters are in no JSON text.
  return { controller: uid, text: node === undefined ? unnamed : unnamed.replaceAll(node, '"\u0002"') };
}

/** Another one in each pod of a StatefulSet. */
const POD_INDEX = "apps.kubernetes.io/pod-index";
/** Not in a value: quotes are escaped there. */
const NODE = /"nodeName":("[^"]+")/;
/** Source: the ServiceAccount admission plugin of Kubernetes. */
const TOKEN_VOLUME = /kube-api-access-[a-z0-9]{5}/g;
