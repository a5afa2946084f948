// A pod of a cluster in the form in which its webhooks were sent it, and its successor will be. Pure.
import { type JsonObject, metadataKeys, objectOf, objectsOf, ownError } from "@outrigger/base";
import { decodePod, type Injector, type InjectRequest, readStatus, uninjectPod } from "@outrigger/injector";
import type { Pod } from "@outrigger/pod";
import { managedPodFields } from "./release-changes.ts";
import type { ServedRelease } from "./served-now.ts";

/** The pod as it was sent to webhooks: without the name that an API server generates once they have answered. */
export function asSent(pod: Pod): Pod {
  const { generateName, name = "", ownerReferences = [] } = pod.metadata ?? {};
  // A StatefulSet gives both.
  const isNamed = ownerReferences.some(({ kind }) => kind === "StatefulSet");
  if (!generateName || isNamed || !name.startsWith(generateName)) return pod;
  if (!GENERATED.test(name.slice(generateName.length))) return pod;
  const { name: _, ...metadata } = pod.metadata ?? {};
  return { ...pod, metadata };
}

/** Source: `SafeEncodeString` of Kubernetes' apimachinery. */
const GENERATED = /^[bcdfghjklmnpqrstvwxz2456789]{5}$/;

/**
 * The pod that a webhook is sent when the pod is made again: without what an injection added, and what an API server, a scheduler or a
 * node has written since.
 *
 * @param injector the release that made it, or the nearest that is known
 */
function asCreated(pod: Pod, injector: Injector): Pod {
  const restored = asSent(restoredOr(pod, injector));
  const { status: _, metadata = {}, spec, ...rest } = restored as Pod & { readonly status?: unknown };
  const kept = Object.entries(metadata).filter(([field]) => !WRITTEN_METADATA.has(field));
  const { ephemeralContainers: __, nodeName, ...written } = objectOf(spec as unknown);
  const isBound = nodeName !== undefined && !isNodeNamed(pod);
  return {
    ...rest,
    metadata: Object.fromEntries(kept),
    spec: { ...written, ...(nodeName !== undefined && !isBound && { nodeName }) },
  } as unknown as Pod;
}

/**
 * The pod of a cluster as its author sends it again, with the release that made it, where that is still known.
 *
 * @param object the pod, as the API server returns it
 * @param nearest stands in for a release that is not known
 */
export async function authorOf(
  object: JsonObject,
  nearest: Injector,
  releaseOf: (digest: string) => Promise<Injector | undefined>,
): Promise<Pod> {
  const running = decodePod(object, "encoded");
  const made = readStatus(running)?.madeBy;
  const maker = made && (await releaseOf(made.release));
  return asCreated(running, maker ?? nearest);
}

/** The pod without its injection; as it is where something of Istio's mesh cannot be taken away, as that is nearest to what comes next. */
function restoredOr(pod: Pod, injector: Injector): Pod {
  try {
    return uninjectPod(injector, pod) ?? pod;
  } catch (error) {
    ownError(error, "manifest-invalid", "annotation-invalid");
    return pod;
  }
}

const WRITTEN_METADATA: ReadonlySet<string> = new Set(
  "creationTimestamp generation managedFields resourceVersion selfLink uid".split(" "),
);

/** Whether the author of the pod named its node: a scheduler binds a pod, and owns no field of it. */
function isNodeNamed(pod: Pod): boolean {
  const entries = objectsOf(objectOf(pod.metadata as unknown)["managedFields"]);
  return entries.some((entry) => managedPodFields(entry)["f:nodeName"] !== undefined);
}

/** The request to inject a pod as the webhook would. A new pod has the mark of the fallback only from the fallback. */
export function requestFor(
  { metadata = {}, ...others }: Pod,
  { release, cluster, parameters }: Omit<ServedRelease, "injector" | "channel">,
): InjectRequest {
  const { [metadataKeys.fallback]: _, ...annotations } = metadata.annotations ?? {};
  const pod =
    metadata.annotations === undefined
      ? { metadata, ...others }
      : { metadata: { ...metadata, annotations }, ...others };
  return { pod, namespace: metadata.namespace ?? "", parameters, cluster, release };
}
