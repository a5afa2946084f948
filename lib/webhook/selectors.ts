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

// Types, not interfaces, so that they are JSON objects too.
type Selector = { readonly matchExpressions: readonly Requirement[] };

type Requirement = {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "DoesNotExist";
  readonly values?: readonly string[];
};

export interface WebhookSelectors {
  /** The first part of the webhook's name. */
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

/** The label that the API server itself sets on every namespace. */
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
