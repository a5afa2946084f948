// Whose a pod is: it belongs to the controller that its owner references name. Labels may be shared.
import type { JsonObject } from "@outrigger/base";
import type { KubeClient } from "@outrigger/cluster";
import { workloadOf } from "@outrigger/injector";
import { isRunning, metadataOf, type Pod } from "@outrigger/pod";
import { partsOf, pathOfWorkload, selectorOf } from "./workload.ts";

export type Pods = readonly JsonObject[];
export type KubeReader = Pick<KubeClient, "get" | "list">;

/** A workload, and its pods that run, as they were read. */
export interface SeenWorkload {
  /** `shop/Deployment/web` */
  readonly name: string;
  readonly object: JsonObject;
  readonly pods: Pods;
}

export async function seeWorkload(kube: KubeReader, name: string): Promise<SeenWorkload | undefined> {
  const object = await readWorkload(kube, name);
  if (object === undefined) return undefined;
  const pods = await itemsOf(kube.list(podsPath(partsOf(name).namespace), { labelSelector: selectorOf(object) }));
  return { name, object, pods: pods.filter((pod) => isRunning(pod) && isOwned(pod, object)) };
}

export async function readWorkload(kube: Pick<KubeClient, "get">, name: string): Promise<JsonObject | undefined> {
  const path = pathOfWorkload(name);
  // That it is gone is believed when it is said twice.
  const object = path === undefined ? undefined : ((await kube.get(path)) ?? (await kube.get(path)));
  // A list leaves the kind out of its items, and so do some servers of single objects.
  return object && { ...object, kind: partsOf(name).kind };
}

export async function itemsOf(list: AsyncIterable<JsonObject>): Promise<Pods> {
  const objects: JsonObject[] = [];
  for await (const object of list) objects.push(object);
  return objects;
}

/** Whether a pod is the workload's: by its controller, or by that of its ReplicaSet, whose name and hash identify it. */
function isOwned(pod: JsonObject, workload: JsonObject): boolean {
  const { kind, name } = workloadOf(pod as Pod);
  const controller = metadataOf(pod).ownerReferences.find((owner) => owner.controller);
  const own = metadataOf(workload);
  const isDirect = controller?.kind === kind;
  return kind === workload["kind"] && name === own.name && (!isDirect || controller?.uid === own.uid);
}

function podsPath(namespace: string): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`;
}

export function podPath(namespace: string, name: string): string {
  return `${podsPath(namespace)}/${encodeURIComponent(name)}`;
}
