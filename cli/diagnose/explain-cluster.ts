// What `outrigger explain` reads of a cluster: a workload, its namespace, the webhooks, and the pods that run of it.

import { isObject, type JsonObject, OutriggerError, objectOf } from "@outrigger/base";
import type { KubeClient } from "@outrigger/cluster";
import { comparePod, findInstalled, type InstalledWebhook } from "@outrigger/cluster";
import type { Pod } from "@outrigger/pod";
import { matchesLabelSelector, parseLabelSelector } from "@outrigger/pod";
import { type NamedWorkload, podOfWorkload } from "../manifests/workload-kinds.ts";
import { ageOf } from "../terminal/age.ts";

type Labels = Readonly<Record<string, string>>;

export interface ExplainedCluster {
  readonly installed: readonly InstalledWebhook[];
  readonly revisions: readonly string[];
}

/** The webhooks of every deployment that is registered in the cluster. */
export async function readWebhooks(kube: KubeClient): Promise<ExplainedCluster> {
  const installed = await findInstalled(kube);
  return {
    installed,
    revisions: installed.map(({ tag, revision }) => tag ?? revision),
  };
}

/** A namespace's labels. */
export async function readNamespaceLabels(kube: KubeClient, name: string): Promise<Labels> {
  const namespace = await kube.get(`/api/v1/namespaces/${encodeURIComponent(name)}`);
  if (namespace === undefined) {
    throw new OutriggerError(
      "cluster-refused",
      `There is no namespace ${name} in cluster ${kube.name}: name it with -n`,
    );
  }
  return labelsOf(namespace);
}

export interface ReadWorkload {
  readonly object: JsonObject;
  /** `{metadata, spec}` of its pods. */
  readonly pod: JsonObject;
}

/** @throws OutriggerError where there is no such workload, or it has no pod template */
export async function readWorkload(
  kube: KubeClient,
  { kind, name }: NamedWorkload,
  namespace: string,
): Promise<ReadWorkload> {
  const place = `${kind.api}/namespaces/${encodeURIComponent(namespace)}/${kind.plural}/${encodeURIComponent(name)}`;
  const object = await kube.get(place).catch((error: unknown) => {
    if (!(error instanceof OutriggerError) || error.code !== "cluster-kind-unknown" || kind.group === "") throw error;
    const message = `Cluster ${kube.name} has no kind ${kind.kind} (${kind.group}): install what brings it, or explain another kind of workload`;
    throw new OutriggerError("cluster-kind-unknown", message, { path: place, cause: error });
  });
  if (object === undefined) {
    const message = `There is no ${kind.kind} ${name} in namespace ${namespace} of cluster ${kube.name}: name the namespace with -n`;
    throw new OutriggerError("cluster-refused", message, { path: place });
  }
  const pod = podOfWorkload(object, kind);
  if (pod !== undefined) return { object, pod };
  const reference = isObject(object["spec"]) ? object["spec"]["workloadRef"] : undefined;
  const remediation = isObject(reference)
    ? `explain what it refers to: ${String(reference["kind"]).toLowerCase()}/${String(reference["name"])}`
    : "it has no pod template";
  throw new OutriggerError("manifest-invalid", `Cannot explain ${kind.kind} ${name}: ${remediation}`);
}

/** A pod that runs. */
export interface RunningPod {
  readonly name: string;
  readonly age: string;
  readonly isInjected: boolean;
  /** What it carries, or why it carries nothing. */
  readonly state: string;
}

/** The pods that run of a workload, and how their sidecars compare with what is injected now. */
export async function readRunningPods(
  kube: KubeClient,
  { kind, name }: NamedWorkload,
  { object }: ReadWorkload,
  namespace: { readonly name: string; readonly labels: Labels },
  { installed }: ExplainedCluster,
  injectionFor: InjectionFor,
  now: number,
): Promise<readonly RunningPod[]> {
  const pods: JsonObject[] = [];
  if (kind.kind === "Pod") pods.push(object);
  else {
    const selector = isObject(object["spec"]) ? object["spec"]["selector"] : undefined;
    const chosen = isOwned(kind.kind, name, selector);
    for await (const pod of kube.list(`/api/v1/namespaces/${encodeURIComponent(namespace.name)}/pods`)) {
      if (chosen(pod)) pods.push(pod);
    }
  }
  const surroundings = { namespaces: new Map([[namespace.name, namespace.labels]]), installed, injectionFor };
  return pods.map((pod) => {
    const { metadata } = pod as Pod;
    const about = { name: metadata?.name ?? "", age: ageOf(metadata?.creationTimestamp ?? "", now) };
    const found = comparePod(pod, surroundings);
    return { ...about, isInjected: found.isInjected, state: found.isInjected ? carried(found) : lacking(found) };
  });
}

function carried({ sidecar }: Extract<PodComparison, { readonly isInjected: true }>): string {
  return sidecar === undefined ? "injected" : CARRIES[sidecar.kind](sidecar);
}

function lacking({ uninjected }: Extract<PodComparison, { readonly isInjected: false }>): string {
  if (uninjected === undefined) return "no sidecar, and none was asked for";
  return `no sidecar: ${uninjected.reason} (${uninjected.remediation})`;
}

type PodComparison = ReturnType<typeof comparePod>;

/** With what pods of a revision are injected. */
export type InjectionFor = Parameters<typeof comparePod>[1]["injectionFor"];

interface Images {
  readonly image: string;
  readonly currentImage: string;
}

const CARRIES = {
  current: ({ image }: Images) => `${image}, as it would be injected now`,
  proxy: ({ image, currentImage }: Images) => `${image}; now it would be ${currentImage}: restart it`,
  release: ({ image }: Images) => `${image}, injected by another release: restart it`,
} as const;

/** A CronJob's pods belong to its jobs; those of all others match its selector. */
function isOwned(kind: string, name: string, selector: unknown): (pod: JsonObject) => boolean {
  if (kind === "CronJob") {
    return (pod) =>
      ((pod as Pod).metadata?.ownerReferences ?? []).some(
        (owner) => owner.kind === "Job" && new RegExp(`^${escaped(name)}-\\d{8,10}$`).test(owner.name),
      );
  }
  const isPlain = kind === "ReplicationController" && isObject(selector);
  const parsed = parseLabelSelector(isPlain ? { matchLabels: selector } : selector, "spec.selector");
  return (pod) => parsed.requirements.length > 0 && matchesLabelSelector(parsed, labelsOf(pod));
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function labelsOf({ metadata }: JsonObject): Labels {
  return objectOf(objectOf(metadata)["labels"]) as Labels;
}
