// Which pods an API server sends: Istio's selectors, one webhook each, so that Outrigger gets exactly the pods that Istio's
// own injector would get. Pure.
//
// | webhook         | namespace's labels                              | pod's labels                                       |
// |-----------------|-------------------------------------------------|----------------------------------------------------|
// | rev.namespace   | istio.io/rev = the revision, no istio-injection | sidecar.istio.io/inject is not "false"             |
// | rev.object      | neither                                         | istio.io/rev = the revision, inject is not "false" |
// | namespace       | istio-injection = enabled                       | sidecar.istio.io/inject is not "false"             |
// | object          | neither                                         | inject = "true", no istio.io/rev                   |
// | auto            | neither                                         | neither inject nor istio.io/rev                    |
//
// The last three exist for the default revision and the tag `default` only, and `auto` where namespaces are enabled by default
// (Istio's value sidecarInjectorWebhook.enableNamespacesByDefault).

import { metadataKeys } from "@outrigger/base";
import { systemNamespaces } from "@outrigger/injector";
import { matchesLabelSelector, type Pod, parseLabelSelector } from "@outrigger/pod";
import type { RolloutPhase } from "./webhook-settings.ts";

// Types, not interfaces, so that they are JSON objects too.
type Selector = { readonly matchExpressions: readonly Requirement[] };

type Requirement = {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "DoesNotExist";
  readonly values?: readonly string[];
};

/** A CEL expression that has to be true of a request for the webhook to be called. */
export type MatchCondition = { readonly name: string; readonly expression: string };

export interface WebhookSelectors {
  /** First part of the webhook's name. */
  readonly name: "rev.namespace" | "rev.object" | "namespace" | "object" | "auto";
  readonly namespaceSelector: Selector;
  readonly objectSelector: Selector;
}

/**
 * The selectors of a revision or tag.
 *
 * @param namespaces only these, where there are any
 * @param byDefault whether pods without any label are sent too
 *
 * @example
 * ```ts
 * selectorsOf("default", []).map(({ name }) => name) // => ["rev.namespace", "rev.object", "namespace", "object"]
 * selectorsOf("1-30", [], true).map(({ name }) => name) // => ["rev.namespace", "rev.object"]
 * ```
 */
export function selectorsOf(
  revision: string,
  namespaces: readonly string[],
  byDefault = false,
): readonly WebhookSelectors[] {
  // Pods of system namespaces are never injected: they are not even asked about, so that no failure can keep them out.
  const where =
    namespaces.length > 0 ? isIn(NAMESPACE_NAME, ...namespaces) : isNotIn(NAMESPACE_NAME, ...systemNamespaces);
  const select = (
    name: WebhookSelectors["name"],
    ofNamespace: readonly Requirement[],
    ofPod: readonly Requirement[],
  ): WebhookSelectors => ({
    name,
    namespaceSelector: { matchExpressions: [...ofNamespace, where] },
    objectSelector: { matchExpressions: ofPod },
  });
  const isPlain = [isAbsent(INJECTION), isAbsent(REVISION)];
  const isNotOut = isNotIn(INJECT, "false");
  const byRevision = [
    select("rev.namespace", [isIn(REVISION, revision), isAbsent(INJECTION)], [isNotOut]),
    select("rev.object", [isAbsent(REVISION), isAbsent(INJECTION)], [isNotOut, isIn(REVISION, revision)]),
  ];
  if (revision !== "default") return byRevision;
  return [
    ...byRevision,
    select("namespace", [isIn(INJECTION, "enabled")], [isNotOut]),
    select("object", isPlain, [isIn(INJECT, "true"), isAbsent(REVISION)]),
    ...(byDefault ? [select("auto", isPlain, [isAbsent(INJECT), isAbsent(REVISION)])] : []),
  ];
}

export const REVISION = metadataKeys.revision;
export const INJECTION = metadataKeys.injection;
const INJECT = metadataKeys.inject;
/** Set by the API server itself on every namespace. */
const NAMESPACE_NAME = metadataKeys.namespaceName;

function isIn(key: string, ...values: readonly string[]): Requirement {
  return { key, operator: "In", values };
}

function isNotIn(key: string, ...values: readonly string[]): Requirement {
  return { key, operator: "NotIn", values };
}

function isAbsent(key: string): Requirement {
  return { key, operator: "DoesNotExist" };
}

type Labels = Readonly<Record<string, string>>;

/**
 * Whether an API server sends a pod to webhooks, by their selectors: where both selectors of one of them match. Match conditions
 * decide further, and are not evaluated. A selector that this version cannot read counts as one that matches: the API server has
 * accepted it.
 *
 * @param webhooks as a configuration has them, or as one is built
 *
 * @example
 * ```ts
 * selectionOf([{ namespaceSelector: { matchLabels: { a: "b" } } }])({ a: "b" }, {}) // => true
 * selectionOf([{ namespaceSelector: { matchLabels: { a: "b" } } }])({}, {}) // => false
 * ```
 */
export function selectionOf(
  webhooks: readonly { readonly namespaceSelector?: unknown; readonly objectSelector?: unknown }[],
): (namespace: Labels, pod: Labels) => boolean {
  const pairs = webhooks.map(({ namespaceSelector, objectSelector }) => [
    matcherOf(namespaceSelector),
    matcherOf(objectSelector),
  ]);
  return (namespace, pod) => pairs.some(([ofNamespace, ofPod]) => ofNamespace?.(namespace) && ofPod?.(pod));
}

function matcherOf(selector: unknown): (labels: Labels) => boolean {
  try {
    const parsed = parseLabelSelector(selector, "selector");
    return (labels) => matchesLabelSelector(parsed, labels);
  } catch {
    return () => true;
  }
}

// The CEL conditions under which a webhook is called at all. Pure.
//
// A condition that fails to evaluate skips the webhook without a trace where failures are ignored, and rejects the pod
// where they are not. So each asks with `has()` before it reads, and none reads what an author may leave out.

export function matchConditionsOf(phase: RolloutPhase): readonly MatchCondition[] {
  const own = CONDITIONS.filter(({ name }) => phase === "audit" || name !== "dry-run");
  return own.map(({ name, expression }) => ({ name, expression }));
}

/** Why the condition of a name keeps a pod from a webhook; none where it does not, or is not ours. */
export function unmetCondition(name: string, pod: Pod): readonly string[] {
  const why = CONDITIONS.find((one) => one.name === name)?.whyNot(pod);
  return typeof why === "string" ? [why] : [];
}

const MIRROR = metadataKeys.mirrorPod;
const CAN_HAVE = {
  labels: "has(object.metadata) && has(object.metadata.labels)",
  annotations: "has(object.metadata) && has(object.metadata.annotations)",
};

/** Each condition, and which pods in memory it keeps from a webhook. */
const CONDITIONS: readonly (MatchCondition & { readonly whyNot: (pod: Pod) => string | false })[] = [
  // A mirror pod only shows what a kubelet runs already: what is injected into it never runs.
  {
    name: "not-a-mirror-pod",
    expression: `!(${CAN_HAVE.annotations} && "${MIRROR}" in object.metadata.annotations)`,
    whyNot: ({ metadata }) => metadata?.annotations?.[MIRROR] !== undefined && "it is a mirror pod",
  },
  // The selectors say so too; said here it also holds for configurations whose selectors were edited.
  {
    name: "not-opted-out",
    expression: `!(${CAN_HAVE.labels} && "${INJECT}" in object.metadata.labels && object.metadata.labels["${INJECT}"] == "false")`,
    whyNot: ({ metadata }) => metadata?.labels?.[INJECT] === "false" && "the pod opts out",
  },
  // Never injected whatever else holds, and what nodes need to work is of this kind: no failure may keep it out.
  {
    name: "not-on-the-host-network",
    expression: "!(has(object.spec) && has(object.spec.hostNetwork) && object.spec.hostNetwork == true)",
    whyNot: ({ spec }) => spec?.hostNetwork === true && "the pod is on the host's network",
  },
  // `kubectl apply --dry-run=server` and the like: the pod is admitted and then not made.
  {
    name: "dry-run",
    expression: "has(request.dryRun) && request.dryRun == true",
    whyNot: () => "only dry runs are sent (phase audit)",
  },
];
