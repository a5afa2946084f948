// What a cluster's API server is asked for the checks: its version, what its caller may do of what the roles of `outrigger print rbac` allow, the
// safety net, and injectors of others that select pods that ours select: each such pod would be injected twice. Reads only.
import { DEFAULT_REVISION, defined, type JsonObject, metadataKeys, objectOf, objectsOf } from "@outrigger/base";
import { metadataOf } from "@outrigger/pod";
import {
  objectKeys,
  ownNames,
  PROBE_NAMESPACE,
  parseSettings,
  rbacFeatures,
  rbacPermissions,
  selectionOf,
} from "@outrigger/webhook";
import { mayDo } from "../kube/access-review.ts";
import type { KubeClient } from "../kube/kube-client.ts";
import { type InstalledWebhook, type SelectingWebhook, selectorsOfInstalled } from "../objects/installed-webhooks.ts";
import { deploymentOf, findOwn, isAbsentKind, listKind, nameOf, type OwnKind, pathOf } from "../objects/own-objects.ts";

/** `v1.33.4-eks-99d6cc0` */
export async function readVersion(kube: KubeClient): Promise<string> {
  const version = await kube.get("/version");
  return String(version?.["gitVersion"] ?? "of unknown version").replace(/^v/, "");
}

/** What a caller may do, of what the roles of `outrigger print rbac` allow, and for which of them it is needed. */
export async function readPermissions(
  kube: KubeClient,
  installed: readonly InstalledWebhook[],
  istioNamespace: string | undefined,
) {
  const revisions = installed.length > 0 ? [...new Set(installed.map(({ revision }) => revision))] : [DEFAULT_REVISION];
  const tags = installed.flatMap(({ tag }) => tag ?? []);
  const asked = requiredPermissions({ revisions, tags, istioNamespace }).map(
    async ({ features, ...resourceAttributes }) => {
      const isAllowed = await mayDo(kube, resourceAttributes);
      const { group, resource, verb, name, namespace } = resourceAttributes;
      const what = `${verb} ${resource}${group === "" ? "" : `.${group}`}`;
      const place = namespace === undefined ? "" : ` in ${namespace}`;
      return { what: `${what}${name === undefined ? "" : ` ${name}`}${place}`, isAllowed, features };
    },
  );
  return Promise.all(asked);
}

export async function readNet(kube: KubeClient, deployment: string) {
  let isServed = true;
  try {
    for await (const _ of kube.list(pathOf("ValidatingAdmissionPolicyBinding"), { limit: "1" })) break;
  } catch (error) {
    if (!(await isAbsentKind(kube, "ValidatingAdmissionPolicyBinding", error))) throw error;
    isServed = false;
  }
  const read = async (kind: OwnKind) => (isServed ? findOwn(kube, kind, deployment) : []);
  const policies = await read("ValidatingAdmissionPolicy");
  const bindings = await read("ValidatingAdmissionPolicyBinding");
  // What the API server says of policies whose CEL it doubts.
  const warnings = policies.flatMap(({ status }) => {
    const { expressionWarnings } = objectOf(objectOf(status)["typeChecking"]);
    return objectsOf(expressionWarnings).map((one) => `${String(one["fieldRef"])}: ${String(one["warning"])}`);
  });
  return { isServed, bindings, policies: policies.map(nameOf), warnings };
}

/**
 * The attributes of access reviews, with the features that need them: the name is missing for a list, and the namespace for the whole
 * cluster. Of the names that one permission is limited to, the first is asked about in place of the others.
 *
 * @param place where istiod is, and the revisions and tags that are registered or will be
 */
export function requiredPermissions(place: Parameters<typeof rbacPermissions>[0]) {
  const journal = ownNames.restartJournal.namespace;
  const namespaces = { cluster: undefined, probe: PROBE_NAMESPACE, istio: place.istioNamespace, journal };
  const all = rbacPermissions(place).flatMap(({ feature, group, resource, verbs, names, scope }) =>
    verbs.map((verb) => {
      const attributes = defined({ group, resource, verb, name: names?.[0], namespace: namespaces[scope] });
      return { key: JSON.stringify(attributes), feature, attributes };
    }),
  );
  return [...new Map(all.map(({ key, attributes }) => [key, attributes]))].map(([key, attributes]) => {
    const features: ReadonlySet<string> = new Set(all.filter((one) => one.key === key).map(({ feature }) => feature));
    return { ...attributes, features: rbacFeatures.filter((feature) => features.has(feature)) };
  });
}

type Labels = Readonly<Record<string, string>>;

const ISTIOS = /sidecar-injector\.istio\.io$/;
const OUTRIGGERS = /\.sidecar-injector\.outrigger$/;

/** Injectors of sidecars. Other webhooks that add containers are no conflict. */
const INJECTORS = [ISTIOS, OUTRIGGERS, /linkerd-proxy-injector/, /consul.*connect-injector/];

/** Another injector of pods that ours select. */
export interface OtherInjector {
  /** The name of its webhook configuration. */
  readonly name: string;
  /** The namespaces of these pods. */
  readonly namespaces: readonly string[];
  readonly isIstios: boolean;
  /** Whether it is a mesh's: it adds a proxy that takes over a pod's traffic, as `istio-proxy` does. */
  readonly isMesh: boolean;
  /** Whether it asks and records by other keys than ours: each then keeps what the other adds. */
  readonly isBeside: boolean;
}

/**
 * @param deployment whose own webhooks are no conflict; left out, none of Outrigger's are
 * @param installed ours, or those that are planned; where there are none, those of the default revision
 */
export async function readConflictingWebhooks(
  kube: KubeClient,
  deployment: string | undefined,
  installed: readonly SelectingWebhook[],
  namespaces: ReadonlyMap<string, Labels>,
): Promise<readonly OtherInjector[]> {
  const all = await listKind(kube, "MutatingWebhookConfiguration");
  return conflictingWebhooks(injectorsOfOthers(all, deployment), installed, namespaces);
}

/** The webhook configurations of other injectors of sidecars. */
export function injectorsOfOthers(all: readonly JsonObject[], deployment: string | undefined): readonly JsonObject[] {
  return all.filter((object) => {
    const owner = deploymentOf(object);
    if (owner !== undefined && (deployment === undefined || owner === deployment)) return false;
    return injectorsIn(object).length > 0;
  });
}

function injectorsIn(object: JsonObject): readonly JsonObject[] {
  return objectsOf(object["webhooks"]).filter(({ name }) => INJECTORS.some((pattern) => pattern.test(String(name))));
}

/** Those of other injectors that select pods which ours select. */
export function conflictingWebhooks(
  others: readonly JsonObject[],
  installed: readonly SelectingWebhook[],
  namespaces: ReadonlyMap<string, Labels>,
): readonly OtherInjector[] {
  const found: OtherInjector[] = [];
  const webhooks = installed.length > 0 ? installed : [{ revision: DEFAULT_REVISION }];
  const own = selectionOf(webhooks.flatMap(selectorsOfInstalled));
  const asking = webhooks.flatMap(({ tag, revision, settings }): readonly Labels[] => {
    const label = settings?.injectionLabel;
    const name = tag ?? revision;
    return label === undefined ? [{ [metadataKeys.revision]: name }] : [{ [label]: "true" }, { [label]: name }];
  });
  const candidates: Labels[] = [{}, { [metadataKeys.inject]: "true" }, ...asking];
  for (const object of others) {
    const theirs = selectionOf(injectorsIn(object));
    const shared = [...namespaces].filter(([, labels]) =>
      candidates.some((pod) => own(labels, pod) && theirs(labels, pod)),
    );
    if (shared.length === 0) continue;
    const hasName = (pattern: RegExp) => injectorsIn(object).some(({ name }) => pattern.test(String(name)));
    const [isIstios, isMesh] = [hasName(ISTIOS), !hasName(OUTRIGGERS)];
    const theirLabel = parseSettings(metadataOf(object).annotations[objectKeys.settings])?.injectionLabel;
    // Linkerd's and Consul's have keys of their own, whatever ours are.
    const isBeside =
      (isMesh && !isIstios) ||
      webhooks.every(({ settings }) => (settings?.injectionLabel === undefined) !== (theirLabel === undefined));
    found.push({ name: nameOf(object), namespaces: shared.map(([name]) => name), isIstios, isMesh, isBeside });
  }
  return found;
}
