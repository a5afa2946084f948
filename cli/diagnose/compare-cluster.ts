// Comparing what a tree injects with what a cluster's pods carry today: one pod for each workload, injected again from the
// template that its author wrote. Reads only.
import { type JsonObject, metadataKeys, objectOf, ownError } from "@outrigger/base";
import { type KubeClient, runningPods } from "@outrigger/cluster";
import { compareInjected, type InjectedDifference } from "@outrigger/import";
import type { Injector } from "@outrigger/injector";
import { decodePod, injectPod, workloadOf } from "@outrigger/injector";
import { type Pod, workloadKinds } from "@outrigger/pod";
import { podOfWorkload } from "../manifests/workload-kinds.ts";

interface DifferenceKind extends InjectedDifference {
  /** Workloads that have it. */
  readonly count: number;
  /** `shop/web-5d8f`, the pod with the two values. */
  readonly example: string;
}

/** Kinds that make pods of their own template. A pod may be of another pod, which is no template for it. */
const CONTROLLERS = ["ReplicaSet", "StatefulSet", "DaemonSet", "Job", "ReplicationController"];

/**
 * Says how many workloads come out equal, what differs in the others, and which pods were not compared, with the reason.
 *
 * @param revision of the pods that are compared; left out, all of them
 */
export async function compareCluster(kube: KubeClient, injector: Injector, revision: string | undefined) {
  const kinds = new Map<string, DifferenceKind>();
  const skipped: string[] = [];
  const seen = new Set<string>();
  let [workloads, equal] = [0, 0];
  for await (const pod of runningPods(kube)) {
    const { namespace, kind, name: workload } = workloadOf(pod as Pod);
    const key = `${namespace}/${kind}/${workload}`;
    if (!isInjected(pod as Pod, revision) || seen.has(key)) continue;
    seen.add(key);
    const running = pod.whole() as Pod & JsonObject;
    const name = `${running.metadata?.namespace}/${running.metadata?.name}`;
    const author = await authorsPod(kube, running);
    const found = author ? differencesOf(injector, author, running) : UNKNOWN_AUTHOR;
    if (typeof found === "string") {
      skipped.push(`${name}: ${found}`);
      continue;
    }
    workloads += 1;
    if (found.length === 0) equal += 1;
    for (const difference of found) {
      const kind = `${difference.kind} ${difference.field}`;
      const known = kinds.get(kind);
      kinds.set(kind, { ...(known ?? { ...difference, example: name }), count: (known?.count ?? 0) + 1 });
    }
  }
  const differences = [...kinds.values()].sort((a, b) => b.count - a.count || (a.field < b.field ? -1 : 1));
  return { workloads, equal, differences, skipped };
}

const UNKNOWN_AUTHOR = "it has no controller whose template says what its author wrote";

function differencesOf(injector: Injector, author: Pod, running: Pod): readonly InjectedDifference[] | string {
  try {
    const { namespace = "" } = author.metadata ?? {};
    const result = injectPod(injector, { pod: author, namespace, parameters: {} });
    if (!result.injected) return `the imported tree does not inject it (${result.message})`;
    return compareInjected({ author, imported: result.pod, running });
  } catch (error) {
    return `the imported tree rejects it: ${ownError(error).message}`;
  }
}

function isInjected({ metadata }: Pod, revision: string | undefined): boolean {
  const annotations = metadata?.annotations ?? {};
  if (annotations[metadataKeys.status] === undefined) return false;
  return revision === undefined || annotations[metadataKeys.revision] === revision;
}

function controllerOf({ metadata }: Pod) {
  return metadata?.ownerReferences?.find(({ controller }) => controller === true);
}

/** The pod as the controller creates it. */
async function authorsPod(kube: KubeClient, running: Pod): Promise<Pod | undefined> {
  const controller = controllerOf(running);
  const { namespace = "", ownerReferences = [] } = running.metadata ?? {};
  const kind = workloadKinds.find((one) => one.kind === controller?.kind && CONTROLLERS.includes(one.kind));
  if (controller === undefined || kind === undefined) return undefined;
  const owner = await kube.get(kind.pathOf(namespace, controller.name));
  const template = owner && podOfWorkload(owner, kind);
  if (template === undefined) return undefined;
  const metadata = objectOf(template["metadata"]);
  const pod = decodePod({ apiVersion: "v1", kind: "Pod", metadata, spec: objectOf(template["spec"]) }, "encoded");
  const generateName = `${controller.name}-`;
  return { ...pod, metadata: { ...pod.metadata, namespace, generateName, ownerReferences } };
}
