// The question which pods of a cluster should have a sidecar and have none, and why. Reads namespaces and pods in
// pages; what a release decides is passed in.

import { defined, isObject, type JsonObject, objectsOf } from "@outrigger/base";
import { annotationKeys, type decide, labelKeys, systemNamespaces } from "@outrigger/injector";
import { isRunning, oncePerReplicas, type Pod } from "@outrigger/pod";
import { isInjected, selectorsOf } from "@outrigger/webhook";
import type { KubeClient } from "../kube/kube-client.ts";
import { findInstalled, type InstalledWebhook } from "../objects/installed-webhooks.ts";
import { isChosen } from "../register/probe-injection.ts";

/** A pod that should have a sidecar. */
export interface Uninjected {
  readonly namespace: string;
  readonly name: string;
  /** `ReplicaSet/web-6f…`, or empty. */
  readonly owner: string;
  readonly revision: string;
  readonly reason: string;
  readonly remediation: string;
  /** When it was made: RFC 3339, in UTC. */
  readonly created?: string;
  /** A webhook was there for it, and let it pass: its call failed and was ignored, or none was made. */
  readonly isMissed?: boolean;
}

export interface PodAudit {
  /** Pods that were looked at and still run. */
  readonly pods: number;
  readonly injected: number;
  readonly uninjected: readonly Uninjected[];
  /** Namespaces without a label for injection, in which no running pod asks for a sidecar or has one. */
  readonly unlabelled: readonly string[];
}

/** Decides as the release of a revision would; undefined where the revision serves none. */
export type DecideFor = (revision: string, pod: Pod, namespace: string) => ReturnType<typeof decide> | undefined;

type Labels = Readonly<Record<string, string>>;

/** Reads running pods: those that should have a sidecar and have none, each with the reason. */
export async function findUninjected(
  kube: KubeClient,
  decideFor: DecideFor,
  onlyNamespace?: string,
): Promise<PodAudit> {
  const installed = await findInstalled(kube);
  const namespaces = await readNamespaces(kube);
  const uninjected: Uninjected[] = [];
  const [unlabelled, asking] = [new Set<string>(), new Set<string>()];
  let [pods, injected] = [0, 0];
  const path =
    onlyNamespace === undefined ? "/api/v1/pods" : `/api/v1/namespaces/${encodeURIComponent(onlyNamespace)}/pods`;
  const hasSidecar = oncePerReplicas((pod) => isInjected(pod as Pod));
  for await (const listed of kube.pods(path)) {
    const head = { metadata: listed.metadata } as Pod;
    if (!isRunning(listed)) continue;
    pods++;
    const namespace = head.metadata?.namespace ?? "";
    (isUnlabelled(head, namespaces.get(namespace) ?? {}) ? unlabelled : asking).add(namespace);
    if (hasSidecar(listed)) {
      injected++;
      continue;
    }
    const found = whyUninjected(listed.whole(), namespaces, installed, decideFor);
    if (found !== undefined) uninjected.push(found);
  }
  const silent = [...unlabelled].filter((namespace) => !asking.has(namespace) && !systemNamespaces.has(namespace));
  return { pods, injected, uninjected, unlabelled: silent };
}

/** Whether nothing says if a pod is to have a sidecar. */
function isUnlabelled({ metadata }: Pod, namespace: Labels): boolean {
  const { labels = {}, annotations = {} } = metadata ?? {};
  const says = (on: Labels, ...keys: readonly string[]) => keys.some((key) => on[key] !== undefined);
  return (
    !says(namespace, "istio-injection", "istio.io/rev") &&
    !says(labels, labelKeys.inject, "istio.io/rev") &&
    !says(annotations, annotationKeys.status, annotationKeys.inject)
  );
}

/** Namespace → its labels. */
export async function readNamespaces(kube: KubeClient): Promise<ReadonlyMap<string, Labels>> {
  const namespaces = new Map<string, Labels>();
  for await (const { metadata } of kube.list("/api/v1/namespaces")) {
    if (isObject(metadata)) namespaces.set(String(metadata["name"]), (metadata["labels"] ?? {}) as Labels);
  }
  return namespaces;
}

/** Why a pod that was to get a sidecar has none, or undefined where it was to have none. */
export function whyUninjected(
  object: JsonObject,
  namespaces: ReadonlyMap<string, Labels>,
  installed: readonly InstalledWebhook[],
  decideFor: DecideFor,
): Uninjected | undefined {
  const pod = object as Pod & JsonObject;
  const namespace = pod.metadata?.namespace ?? "";
  const labels = namespaces.get(namespace) ?? {};
  const podLabels = pod.metadata?.labels ?? {};
  const byDefault = installed.some(({ settings }) => settings?.enableNamespacesByDefault === true);
  const revision = wantedRevision(labels, podLabels, byDefault);
  if (revision === undefined) return undefined;
  const webhook = installed.find(({ tag, revision: own }) => (tag ?? own) === revision);
  const decision = decideFor(webhook?.revision ?? revision, pod, namespace);
  if (decision?.inject === false) return undefined;
  const [owner] = pod.metadata?.ownerReferences ?? [];
  return {
    namespace,
    name: pod.metadata?.name ?? "",
    owner: owner === undefined ? "" : `${owner.kind}/${owner.name}`,
    revision,
    ...defined({ created: timeOf(pod.metadata) }),
    ...explain(pod, labels, podLabels, revision, webhook),
  };
}

/** The revision that labels ask for: Istio's rules, without regard to what is installed. */
function wantedRevision(namespace: Labels, pod: Labels, byDefault: boolean): string | undefined {
  const requested = namespace["istio.io/rev"] ?? pod["istio.io/rev"] ?? "default";
  const labels = { ...namespace, "kubernetes.io/metadata.name": namespace["kubernetes.io/metadata.name"] ?? "" };
  const revisions = new Set([requested, "default"]);
  return [...revisions].find((revision) =>
    selectorsOf(revision, [], byDefault).some((one) => isChosen(one, labels, pod)),
  );
}

function explain(
  pod: Pod,
  namespace: Labels,
  labels: Labels,
  revision: string,
  webhook: InstalledWebhook | undefined,
): Pick<Uninjected, "reason" | "remediation" | "isMissed"> {
  if (webhook === undefined) {
    return {
      reason: `no webhook serves the revision "${revision}"`,
      remediation: `outrigger register --cluster … --revision ${revision}, or correct the label`,
    };
  }
  const { settings, off } = webhook;
  const restart = "restart what owns it: kubectl rollout restart …";
  if (off !== undefined)
    return { reason: `injection was switched off at ${off}`, remediation: "outrigger register --cluster …" };
  if (settings?.phase === "audit") {
    return {
      reason: "the rollout is at the phase audit",
      remediation: "outrigger register --cluster … --phase namespace",
    };
  }
  const isIncluded = selectorsOf(revision, settings?.namespaces ?? [], settings?.enableNamespacesByDefault).some(
    (one) => isChosen(one, namespace, labels),
  );
  if (!isIncluded) {
    const place = pod.metadata?.namespace ?? "";
    return {
      reason: "the rollout has not come to its namespace",
      remediation: `outrigger register --cluster … --phase namespace --namespace ${place}`,
    };
  }
  if (isOlder(pod, webhook)) return { reason: "it is older than the webhook", remediation: restart };
  return { reason: reasonUnder(webhook), remediation: restart, isMissed: true };
}

/** Under `Fail`, no failed call lets a pod in. */
function reasonUnder({ object }: InstalledWebhook): string {
  const isStrict = objectsOf(object["webhooks"]).every(({ failurePolicy }) => failurePolicy === "Fail");
  return isStrict
    ? "it was made before failed calls rejected pods, the release of that time did not inject it, or its sidecar was taken away"
    : "the call failed and was ignored, or the pod was made while it was";
}

/** Both times are RFC 3339 in UTC, as API servers write them. */
function isOlder(pod: Pod, { object }: InstalledWebhook): boolean {
  const made = timeOf(object["metadata"]);
  const born = timeOf(pod.metadata);
  return made !== undefined && born !== undefined && born < made;
}

function timeOf(metadata: unknown): string | undefined {
  const time = isObject(metadata) ? metadata["creationTimestamp"] : undefined;
  return typeof time === "string" ? time : undefined;
}
