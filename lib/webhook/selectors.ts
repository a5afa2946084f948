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
// With a label of the config's own, KEY, no label of Istio's is read or claimed: one key says on namespaces and pods which revision is
// asked for.
//
// | webhook         | namespace's labels          | pod's labels                |
// |-----------------|-----------------------------|-----------------------------|
// | rev.namespace   | KEY = the revision          | KEY is not "false"          |
// | rev.object      | no KEY                      | KEY = the revision          |
// | namespace       | KEY = true or default       | KEY is not "false"          |
// | object          | no KEY                      | KEY = true or default       |
// | auto            | no KEY                      | no KEY                      |
//
// The last three exist for the default revision and the tag `default` only, and `auto` where namespaces are enabled by default
// (Istio's value sidecarInjectorWebhook.enableNamespacesByDefault). With a key of its own, the default revision has no others.

import { DEFAULT_REVISION, metadataKeys } from "@outrigger/base";
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
 * @param injectionLabel of the config, where it has its own
 *
 * @example
 * ```ts
 * selectorsOf("default", []).map(({ name }) => name) // => ["rev.namespace", "rev.object", "namespace", "object"]
 * selectorsOf("1-30", [], true).map(({ name }) => name) // => ["rev.namespace", "rev.object"]
 * selectorsOf("default", [], false, "logs.example.com/inject").map(({ name }) => name) // => ["namespace", "object"]
 * ```
 */
export function selectorsOf(
  revision: string,
  namespaces: readonly string[],
  byDefault = false,
  injectionLabel?: string,
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
  if (injectionLabel !== undefined) {
    const asks =
      revision === DEFAULT_REVISION ? isIn(injectionLabel, "true", revision) : isIn(injectionLabel, revision);
    const isUnsaid = isAbsent(injectionLabel);
    const prefix = revision === DEFAULT_REVISION ? "" : "rev.";
    const own = [
      select(`${prefix}namespace`, [asks], [isNotIn(injectionLabel, "false")]),
      select(`${prefix}object`, [isUnsaid], [asks]),
    ];
    return byDefault && revision === DEFAULT_REVISION ? [...own, select("auto", [isUnsaid], [isUnsaid])] : own;
  }
  const isPlain = [isAbsent(INJECTION), isAbsent(REVISION)];
  const isNotOut = isNotIn(INJECT, "false");
  const byRevision = [
    select("rev.namespace", [isIn(REVISION, revision), isAbsent(INJECTION)], [isNotOut]),
    select("rev.object", [isAbsent(REVISION), isAbsent(INJECTION)], [isNotOut, isIn(REVISION, revision)]),
  ];
  if (revision !== DEFAULT_REVISION) return byRevision;
  return [
    ...byRevision,
    select("namespace", [isIn(INJECTION, "enabled")], [isNotOut]),
    select("object", isPlain, [isIn(INJECT, "true"), isAbsent(REVISION)]),
    ...(byDefault ? [select("auto", isPlain, [isAbsent(INJECT), isAbsent(REVISION)])] : []),
  ];
}

/**
 * The label, with its value, by which a namespace asks for the sidecars of the default revision: what `kubectl label namespace` takes.
 *
 * @example
 * ```ts
 * enablingLabel() // => "istio-injection=enabled"
 * enablingLabel("logs.example.com/inject") // => "logs.example.com/inject=true"
 * ```
 */
export function enablingLabel(injectionLabel?: string): string {
  return injectionLabel === undefined ? `${INJECTION}=enabled` : `${injectionLabel}=true`;
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
