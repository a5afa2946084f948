// The mistakes by which a pod that should have a sidecar usually gets none, each with what to write instead. Pure.
import { injectionKeys, metadataKeys } from "@outrigger/base";
import { systemNamespaces } from "@outrigger/injector";
import type { Pod } from "@outrigger/pod";
import { enablingLabel, INJECTION, REVISION } from "./selectors.ts";

type Labels = Readonly<Record<string, string>>;

export interface MistakeQuestion {
  readonly namespace: string;
  /** The labels of the namespace, or undefined if they are not known. */
  readonly namespaceLabels: Labels | undefined;
  readonly pod: Pod;
  /** The labels of the Deployment or other workload, or none for a pod without an owner. */
  readonly workloadLabels: Labels;
  /** The kind of the workload, such as `Deployment`. */
  readonly kind: string;
  /** The revisions and tags that are registered, or undefined if they are not known. */
  readonly revisions: readonly string[] | undefined;
  /** The label by which pods and namespaces ask, where it is no label of Istio's. */
  readonly injectionLabel?: string | undefined;
}

/** Returns the mistakes as sentences, the most telling first. */
export function usualMistakes(question: MistakeQuestion): readonly string[] {
  const ofLabels = question.injectionLabel === undefined ? ofNamespace(question) : ofOwnLabel(question);
  return [...ofPlace(question), ...ofWorkload(question), ...ofPod(question), ...ofLabels];
}

function ofPlace({ namespace, pod }: MistakeQuestion): readonly string[] {
  return sentences(
    systemNamespaces.has(namespace) && `Pods of ${namespace} are never injected: run it in another namespace`,
    pod.spec?.hostNetwork === true &&
      "The pod uses the host's network (spec.hostNetwork), which a sidecar must not redirect: such a pod is never injected",
  );
}

/**
 * Returns the labels that are on the workload but not on its pods: what is written on a Deployment does not reach its
 * pods.
 */
function ofWorkload({ kind, pod, workloadLabels, injectionLabel }: MistakeQuestion): readonly string[] {
  const labels = pod.metadata?.labels ?? {};
  const place = `${kind === "CronJob" ? "spec.jobTemplate." : ""}spec.template.metadata.labels`;
  return (injectionLabel === undefined ? [metadataKeys.inject, REVISION] : [injectionLabel])
    .filter((key) => workloadLabels[key] !== undefined && labels[key] === undefined)
    .map((key) => `The label ${key} is on the ${kind} and not on its pod template: move it to ${place}`);
}

function ofPod({ pod, revisions, injectionLabel }: MistakeQuestion): readonly string[] {
  const { labels = {}, annotations = {} } = pod.metadata ?? {};
  const { inject } = injectionKeys(injectionLabel);
  const [label, annotation] = [labels[inject], annotations[inject]];
  const isUnlabelled = label === undefined;
  // A label of the config's own names revisions too.
  const isOdd = injectionLabel === undefined && !isUnlabelled && label !== "true" && label !== "false";
  const said = sentences(
    isOdd && `The pod's label ${inject} is ${JSON.stringify(label)}, which means nothing: write "true"`,
    isUnlabelled &&
      annotation === "true" &&
      `${inject}: "true" is an annotation, which no selector sees: write it as a label`,
    label === "false" && `The pod opts out: its label ${inject} is "false"`,
    isUnlabelled && annotation === "false" && `The pod opts out: its annotation ${inject} is "false"`,
  );
  if (injectionLabel !== undefined) return said;
  return [...said, ...unknownRevision("the pod", labels[REVISION], revisions)];
}

/** Returns the sentences that apply. */
function sentences(...all: readonly (string | false)[]): readonly string[] {
  return all.filter((sentence) => sentence !== false);
}

function ofNamespace({ namespace, namespaceLabels, pod, revisions }: MistakeQuestion): readonly string[] {
  if (namespaceLabels === undefined) return [];
  const [injection, revision] = [namespaceLabels[INJECTION], namespaceLabels[REVISION]];
  const labels = pod.metadata?.labels ?? {};
  const enable = `kubectl label namespace ${namespace} ${enablingLabel()}`;
  if (injection === "disabled") return [`The namespace ${namespace} is switched off: ${enable} --overwrite`];
  if (injection !== undefined && injection !== "enabled") {
    const value = JSON.stringify(injection);
    return [`The namespace's label ${INJECTION} is ${value}, which means nothing: ${enable} --overwrite`];
  }
  if (injection === "enabled" && revision !== undefined) {
    return [`The namespace has ${INJECTION} and ${REVISION}: ${INJECTION} wins, and means the default revision`];
  }
  if (revision !== undefined) return unknownRevision("the namespace", revision, revisions);
  const asks = labels[metadataKeys.inject] === "true" || labels[REVISION] !== undefined;
  if (injection !== undefined || asks) return [];
  return [
    `Neither the namespace nor the pod asks for a sidecar: ${enable}, or label the pod template ${metadataKeys.inject}: "true"`,
  ];
}

function ofOwnLabel({
  namespace,
  namespaceLabels,
  pod,
  revisions,
  injectionLabel: key = "",
}: MistakeQuestion): readonly string[] {
  if (namespaceLabels === undefined) return [];
  const enable = `kubectl label namespace ${namespace} ${enablingLabel(key)}`;
  const [ofNamespace, ofPod] = [namespaceLabels[key], pod.metadata?.labels?.[key]];
  if (ofNamespace === "false") return [`The namespace ${namespace} is switched off: ${enable} --overwrite`];
  const asked = ofNamespace ?? ofPod;
  if (asked === undefined) {
    return [
      `Neither the namespace nor the pod asks for a sidecar: ${enable}, or label the pod template ${key}: "true"`,
    ];
  }
  if (asked === "true" || asked === "false" || revisions === undefined || revisions.includes(asked)) return [];
  const whose = ofNamespace === undefined ? "the pod" : "the namespace";
  return [
    `${key} of ${whose} is ${JSON.stringify(asked)}, which is neither true, nor false, nor a revision that is registered (there is ${revisions.join(", ") || "none"}): write "true"`,
  ];
}

function unknownRevision(whose: string, revision: string | undefined, known: readonly string[] | undefined) {
  if (revision === undefined || known === undefined || known.includes(revision)) return [];
  return [
    `${REVISION} of ${whose} is ${revision}, which is not registered (there is ${known.join(", ") || "none"}): correct the label, or outrigger register --revision ${revision}, or --tag ${revision} if it names another revision`,
  ];
}
