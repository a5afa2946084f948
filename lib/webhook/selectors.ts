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

import { systemNamespaces } from "@outrigger/injector";
import { matchesLabelSelector, parseLabelSelector } from "@outrigger/pod";
import type { Requirement, Selector } from "./webhook-configuration.ts";

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
  const where = [placesOf(namespaces)];
  const byRevision = [
    {
      name: "rev.namespace",
      namespaceSelector: all([isIn(REVISION, revision), isAbsent(INJECTION), ...where]),
      objectSelector: all([isNotIn(INJECT, "false")]),
    },
    {
      name: "rev.object",
      namespaceSelector: all([isAbsent(REVISION), isAbsent(INJECTION), ...where]),
      objectSelector: all([isNotIn(INJECT, "false"), isIn(REVISION, revision)]),
    },
  ] as const;
  if (revision !== "default") return byRevision;
  return [
    ...byRevision,
    {
      name: "namespace",
      namespaceSelector: all([isIn(INJECTION, "enabled"), ...where]),
      objectSelector: all([isNotIn(INJECT, "false")]),
    },
    {
      name: "object",
      namespaceSelector: all([isAbsent(INJECTION), isAbsent(REVISION), ...where]),
      objectSelector: all([isIn(INJECT, "true"), isAbsent(REVISION)]),
    },
    ...(byDefault ? [autoSelectors(where)] : []),
  ];
}

function autoSelectors(where: readonly Requirement[]): WebhookSelectors {
  return {
    name: "auto",
    namespaceSelector: all([isAbsent(INJECTION), isAbsent(REVISION), ...where]),
    objectSelector: all([isAbsent(INJECT), isAbsent(REVISION)]),
  };
}

const REVISION = "istio.io/rev";
const INJECTION = "istio-injection";
const INJECT = "sidecar.istio.io/inject";
/** Set by the API server itself on every namespace. */
const NAMESPACE_NAME = "kubernetes.io/metadata.name";

/** Pods of system namespaces are never injected: they are not even asked about, so that no failure can keep them out. */
function placesOf(namespaces: readonly string[]): Requirement {
  return namespaces.length > 0 ? isIn(NAMESPACE_NAME, ...namespaces) : isNotIn(NAMESPACE_NAME, ...systemNamespaces);
}

function all(matchExpressions: readonly Requirement[]): Selector {
  return { matchExpressions };
}

function isIn(key: string, ...values: readonly string[]): Requirement {
  return { key, operator: "In", values };
}

function isNotIn(key: string, ...values: readonly string[]): Requirement {
  return { key, operator: "NotIn", values };
}

function isAbsent(key: string): Requirement {
  return { key, operator: "DoesNotExist" };
}

// Whether an API server sends a pod to webhooks, by their selectors. Pure.
type Labels = Readonly<Record<string, string>>;

/** Whether a pod with these labels is sent, where its namespace has those. */
type Selection = (namespace: Labels, pod: Labels) => boolean;

/**
 * The selection of webhooks: a pod is sent where both selectors of one of them match. Match conditions decide further, and are not
 * evaluated. A selector that this version cannot read counts as one that matches: the API server has accepted it.
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
): Selection {
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
