// Whose a pod is, and which budgets it is under. A pod belongs to the controller that its owner references name: labels may be shared.
import { type JsonObject, objectOf } from "@outrigger/base";
import type { KubeClient } from "@outrigger/cluster";
import { isRunning, matchesLabelSelector, metadataOf, type Pod, parseLabelSelector } from "@outrigger/pod";
import { workloadOf } from "../running.ts";
import { freshLook, type Moving, type Run } from "./run.ts";
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

/** Undefined where there is none. */
export async function seeWorkload(kube: KubeReader, name: string): Promise<SeenWorkload | undefined> {
  const object = await readWorkload(kube, name);
  if (object === undefined) return undefined;
  const pods = await itemsOf(kube.list(podsPath(partsOf(name).namespace), { labelSelector: selectorOf(object) }));
  return { name, object, pods: pods.filter((pod) => isRunning(pod) && isOwned(pod, object)) };
}

/** The workload as the API server has it. */
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

/** By its controller, or by that of its ReplicaSet, whose name and hash say which it is. */
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

/** Labels of the pods of a workload, by which budgets are over it. */
export function labelsOf({ object, pods }: SeenWorkload): Moving["labels"] {
  const labelled = pods.length === 0 ? [objectOf(objectOf(object["spec"])["template"])] : pods;
  return labelled.map((one) => metadataOf(one).labels);
}

/** How many pods may be disrupted, and the budget that says so. */
interface Room {
  readonly pods: number;
  readonly budget: string;
}

const UNLIMITED: Room = { pods: Number.POSITIVE_INFINITY, budget: "" };

/**
 * How many pods the budgets of a workload allow to be disrupted now, with all that is in motion deducted. Neither a rollout nor a new
 * image asks them, so a restart does.
 */
export async function roomFor(run: Run, { object, labels }: Moving): Promise<Room> {
  if (run.isUrgent) return UNLIMITED;
  const { namespace } = metadataOf(object);
  const { budgets } = freshLook(run);
  const path = `/apis/policy/v1/namespaces/${encodeURIComponent(namespace)}/poddisruptionbudgets`;
  const reading = budgets.get(namespace) ?? itemsOf(run.kube.list(path));
  budgets.set(namespace, reading);
  return (await reading).reduce((least, { metadata, spec, status }) => {
    const { selector } = objectOf(spec);
    if (selector === undefined) return least;
    const parsed = parseLabelSelector(selector, "selector");
    const isOver = (own: Moving["labels"]) => own.some((each) => matchesLabelSelector(parsed, each));
    if (!isOver(labels)) return least;
    const { disruptionsAllowed } = objectOf(status);
    const taken = [...run.moving.values()]
      .filter((one) => metadataOf(one.object).namespace === namespace && isOver(one.labels))
      .reduce((sum, one) => sum + one.taken, 0);
    const pods = (typeof disruptionsAllowed === "number" ? disruptionsAllowed : 0) - taken;
    return pods < least.pods ? { pods, budget: metadataOf({ metadata }).name } : least;
  }, UNLIMITED);
}
