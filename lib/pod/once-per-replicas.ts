// What the replicas of a workload have in common, as text: equal texts are of pods that differ in nothing but what is generated for
// each of them, so one of them is looked at. Pure.
import { boundedCache, cacheMemory, type JsonObject, metadataKeys, objectOf, objectsOf } from "@outrigger/base";

/**
 * The function with its last answer for each controller, which counts for its next pod where the two are replicas. It must not depend
 * on a pod's own name, its node or its status.
 */
export function oncePerReplicas<Answer>(
  ask: (pod: JsonObject) => Answer,
): (pod: ReplicaText & { readonly whole: () => JsonObject }) => Answer {
  const last = boundedCache<{ readonly text: string; readonly answer: Answer }>(cacheMemory(() => REMEMBERED));
  return (pod) => {
    const replica = replicaOf(pod);
    const known = replica && last.get(replica.controller);
    if (known !== undefined && known.text === replica?.text) return known.answer;
    const answer = ask(pod.whole());
    if (replica === undefined) return answer;
    const { controller, text } = replica;
    last.set(controller, { text, answer }, 2 * text.length + ANSWER);
    return answer;
  };
}

/** Bytes that are remembered: a list has the pods of a workload next to each other. */
const REMEMBERED = 4_000_000;
/** The bytes that an answer takes at most, or nearly so. */
const ANSWER = 4096;

/** A pod as a list has it: its spec is JSON. */
interface ReplicaText {
  readonly metadata: JsonObject;
  readonly specText: string;
}

/**
 * The controller's uid; and metadata and spec without the pod's own name, in whatever it is, its node's, and that of its token's
 * volume. Undefined for a pod without a controller, which has no replicas.
 */
function replicaOf({ metadata, specText }: ReplicaText) {
  const { name, namespace, generateName, labels, annotations, ownerReferences } = metadata;
  const { uid } = objectsOf(ownerReferences).find(({ controller }) => controller === true) ?? {};
  if (typeof uid !== "string" || typeof name !== "string" || name === "") return undefined;
  const { [POD_INDEX]: _, ...general } = objectOf(labels);
  const written = JSON.stringify([namespace, generateName, general, annotations, ownerReferences]) + specText;
  const renamed = written.replaceAll(name, "\u0000");
  const unnamed = renamed.includes(TOKEN_PREFIX) ? renamed.replaceAll(TOKEN_VOLUME, "\u0001") : renamed;
  const node = nodeIn(specText);
  // A DaemonSet's pods name it in their affinity too. Control characters are in no JSON text.
  return { controller: uid, text: node === undefined ? unnamed : unnamed.replaceAll(node, '"\u0002"') };
}

/** Returns the node's name with its quotes. */
function nodeIn(spec: string): string | undefined {
  const at = spec.indexOf(NODE);
  if (at < 0) return undefined;
  const start = at + NODE.length;
  return spec.slice(start, spec.indexOf('"', start + 1) + 1);
}

/** The label that differs in each pod of a StatefulSet. */
const POD_INDEX = metadataKeys.podIndex;
/** The text before the node's name. No value contains it, because quotes are escaped there. */
const NODE = '"nodeName":';
/** The prefix of a token's volume, from the ServiceAccount admission plugin of Kubernetes. */
const TOKEN_PREFIX = "kube-api-access-";
const TOKEN_VOLUME = /kube-api-access-[a-z0-9]{5}/g;
