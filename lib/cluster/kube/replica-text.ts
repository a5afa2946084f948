// What the replicas of a workload have in common, as text: equal texts are of pods that differ in nothing but what is generated for
// each of them. Pure.
import { type JsonObject, objectOf, objectsOf } from "@outrigger/base";
import { specText } from "./read-pod.ts";

/**
 * The metadata and spec of a pod without its own name, in whatever it is, its node and the name of its token's volume.
 *
 * @returns undefined for a pod without a controller, which has no replicas
 */
export function replicaText(pod: JsonObject): string | undefined {
  const { name, namespace, generateName, labels, annotations, ownerReferences } = objectOf(pod["metadata"]);
  if (typeof name !== "string" || name === "") return undefined;
  if (!objectsOf(ownerReferences).some(({ controller }) => controller === true)) return undefined;
  const { [POD_INDEX]: _, ...general } = objectOf(labels);
  const metadata = JSON.stringify([namespace, generateName, general, annotations, ownerReferences]);
  return withoutNames(metadata, name) + withoutNames(withoutNode(specText(pod)), name);
}

/** Another one in each pod of a StatefulSet. */
const POD_INDEX = "apps.kubernetes.io/pod-index";

const NODE = '"nodeName":"';

function withoutNode(spec: string): string {
  const at = spec.indexOf(NODE);
  return at < 0 ? spec : spec.slice(0, at) + spec.slice(spec.indexOf('"', at + NODE.length));
}

/** Control characters are in no JSON text. */
function withoutNames(text: string, name: string): string {
  return text.replaceAll(name, "\u0000").replaceAll(TOKEN_VOLUME, "\u0001");
}

/** Source: the ServiceAccount admission plugin of Kubernetes. */
const TOKEN_VOLUME = /kube-api-access-[a-z0-9]{5}/g;
