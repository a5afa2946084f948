// What a cluster's API server is asked for the checks: its version, what its caller may do of what the roles of `outrigger print rbac` allow, the
// safety net, and injectors of others that select pods that ours select: each such pod would be injected twice. Reads only.
import { DEFAULT_REVISION, isObject, type JsonObject, listOf, objectOf, objectsOf } from "@outrigger/base";
import { buildRbac, PROBE_NAMESPACE, rbacFeatures, selectionOf, selectorsOf } from "@outrigger/webhook";
import type { KubeClient } from "../kube/kube-client.ts";
import { type InstalledWebhook, selectorsOfInstalled } from "../objects/installed-webhooks.ts";
import { deploymentOf, findOwn, isAbsentKind, nameOf, pathOf } from "../objects/own-objects.ts";
import type { ConflictingWebhook, NetFacts, PermissionFacts } from "./facts.ts";

/** `v1.33.4-eks-99d6cc0` */
export async function readVersion(kube: KubeClient): Promise<string> {
  const version = await kube.get("/version");
  return String(version?.["gitVersion"] ?? "of unknown version").replace(/^v/, "");
}

/** Asks the API server what this principal may do of what the commands need. */
export async function readPermissions(
  kube: KubeClient,
  installed: readonly InstalledWebhook[],
  istioNamespace: string,
): Promise<readonly PermissionFacts[]> {
  const revisions = installed.length > 0 ? [...new Set(installed.map(({ revision }) => revision))] : [DEFAULT_REVISION];
  const tags = installed.flatMap(({ tag }) => tag ?? []);
  return Promise.all(
    requiredPermissions({ revisions, tags, istioNamespace }).map(async (resourceAttributes) => {
      const review = {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SelfSubjectAccessReview",
        spec: { resourceAttributes },
      };
      const { status } = await kube.review("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", review);
      const isAllowed = isObject(status) && status["allowed"] === true;
      const { group, resource, verb, name, namespace } = resourceAttributes;
      const what = `${verb} ${resource}${group === "" ? "" : `.${group}`}`;
      const place = namespace === undefined ? "" : ` in ${namespace}`;
      return { what: `${what}${name === undefined ? "" : ` ${name}`}${place}`, isAllowed };
    }),
  );
}

export async function readNet(kube: KubeClient, deployment: string): Promise<NetFacts> {
  try {
    for await (const _ of kube.list(pathOf("ValidatingAdmissionPolicyBinding"), { limit: "1" })) break;
  } catch (error) {
    if (await isAbsentKind(kube, "ValidatingAdmissionPolicyBinding", error))
      return { isServed: false, bindings: [], policies: [], warnings: [] };
    throw error;
  }
  const policies = await findOwn(kube, "ValidatingAdmissionPolicy", deployment);
  return {
    isServed: true,
    bindings: await findOwn(kube, "ValidatingAdmissionPolicyBinding", deployment),
    policies: policies.map(nameOf),
    warnings: policies.flatMap(warningsOf),
  };
}

function warningsOf({ status }: JsonObject): readonly string[] {
  const checked = isObject(status) ? status["typeChecking"] : undefined;
  const found = listOf(objectOf(checked)["expressionWarnings"]);
  return found.filter(isObject).map((one) => `${String(one["fieldRef"])}: ${String(one["warning"])}`);
}

/** The attributes of an access review. */
type Permission = {
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  /** Missing for a list, and for what is asked of every name. */
  readonly name?: string;
  /** Missing for the whole cluster. */
  readonly namespace?: string;
};

/** @param place where istiod is, and the revisions and tags that are registered or will be */
export function requiredPermissions(place: {
  readonly revisions: readonly string[];
  readonly tags: readonly string[];
  readonly istioNamespace: string;
}): readonly Permission[] {
  const roles = buildRbac({
    ...place,
    features: rbacFeatures,
    probeNamespaces: [PROBE_NAMESPACE],
    group: "",
    name: "",
  });
  return roles.flatMap(({ metadata, rules }) => {
    const namespace = isObject(metadata) ? metadata["namespace"] : undefined;
    return objectsOf(rules).flatMap((rule) => {
      const [[group = ""], [resource = ""], names, verbs] = ["apiGroups", "resources", "resourceNames", "verbs"].map(
        (key) => listOf(rule[key]).map(String),
      ) as [string[], string[], string[], string[]];
      // A role has one rule for all its names: the first is asked about in place of the others.
      const [name] = names;
      return verbs.map((verb) => ({
        group,
        resource,
        verb,
        ...(name === undefined ? {} : { name }),
        ...(typeof namespace === "string" ? { namespace } : {}),
      }));
    });
  });
}

type Labels = Readonly<Record<string, string>>;

/** Injectors whose pods are ours too. Other webhooks that add containers are no conflict. */
const INJECTORS = [
  /sidecar-injector\.istio\.io$/,
  /\.sidecar-injector\.outrigger$/,
  /linkerd-proxy-injector/,
  /consul.*connect-injector/,
];

export async function readConflictingWebhooks(
  kube: KubeClient,
  deployment: string,
  installed: readonly InstalledWebhook[],
  namespaces: ReadonlyMap<string, Labels>,
): Promise<readonly ConflictingWebhook[]> {
  const conflicting: ConflictingWebhook[] = [];
  const own = selectionOf(
    installed.length > 0 ? installed.flatMap(selectorsOfInstalled) : selectorsOf(DEFAULT_REVISION, []),
  );
  const revisions = installed.length > 0 ? installed.map(({ tag, revision }) => tag ?? revision) : [DEFAULT_REVISION];
  const candidates: Labels[] = [
    {},
    { "sidecar.istio.io/inject": "true" },
    ...revisions.map((name) => ({ "istio.io/rev": name })),
  ];
  for await (const object of kube.list(pathOf("MutatingWebhookConfiguration"))) {
    if (deploymentOf(object) === deployment) continue;
    const theirs = selectionOf(
      objectsOf(object["webhooks"]).filter(({ name }) => INJECTORS.some((pattern) => pattern.test(String(name)))),
    );
    const shared = [...namespaces].filter(([, labels]) =>
      candidates.some((pod) => own(labels, pod) && theirs(labels, pod)),
    );
    if (shared.length > 0) conflicting.push({ name: nameOf(object), namespaces: shared.map(([name]) => name) });
  }
  return conflicting;
}
