// What an API server says of itself, as far as kubectl asks: groups, versions and kinds.
import type { JsonObject } from "@outrigger/base";

/** Group and version → plural, or plural and subresource → kind. */
const KINDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "/api/v1": { pods: "Pod", "pods/resize": "Pod", namespaces: "Namespace", configmaps: "ConfigMap" },
  "/apis/apps/v1": {
    deployments: "Deployment",
    statefulsets: "StatefulSet",
    daemonsets: "DaemonSet",
    replicasets: "ReplicaSet",
  },
  "/apis/rbac.authorization.k8s.io/v1": {
    roles: "Role",
    rolebindings: "RoleBinding",
    clusterroles: "ClusterRole",
    clusterrolebindings: "ClusterRoleBinding",
  },
  "/apis/admissionregistration.k8s.io/v1": {
    mutatingwebhookconfigurations: "MutatingWebhookConfiguration",
    validatingadmissionpolicies: "ValidatingAdmissionPolicy",
    validatingadmissionpolicybindings: "ValidatingAdmissionPolicyBinding",
  },
};

const SHORT_NAMES: Readonly<Record<string, string>> = {
  pods: "po",
  namespaces: "ns",
  configmaps: "cm",
  deployments: "deploy",
  statefulsets: "sts",
  daemonsets: "ds",
  replicasets: "rs",
};

const UNNAMESPACED = /^(Namespace|Cluster.*)$/;

/** kubectl leaves the fields of an object to an API server that says that it checks them. */
function checkedByServer(place: string): JsonObject {
  const [group = "", version = ""] = place.startsWith("/apis/") ? place.split("/").slice(2) : ["", "v1"];
  const paths = Object.entries(KINDS[place] ?? {}).map(([name, kind]) => {
    const patch = {
      parameters: [{ name: "fieldValidation", in: "query" }],
      "x-kubernetes-group-version-kind": { group, version, kind },
    };
    return [`${place}/${UNNAMESPACED.test(kind) ? "" : "namespaces/{namespace}/"}${name}/{name}`, { patch }];
  });
  return { openapi: "3.0.0", paths: Object.fromEntries(paths) };
}

/** The answer to a question of discovery; undefined for any other path. */
export function discoveryOf(path: string, unserved: ReadonlySet<string>): JsonObject | undefined {
  if (path === "/api") return { kind: "APIVersions", versions: ["v1"] };
  if (path === "/apis") {
    const groups = Object.keys(KINDS).filter((place) => place.startsWith("/apis/"));
    return { kind: "APIGroupList", apiVersion: "v1", groups: groups.map(groupAt) };
  }
  if (path === "/openapi/v3") {
    const places = Object.keys(KINDS).map((place) => [place.slice(1), { serverRelativeURL: `/openapi/v3${place}` }]);
    return { paths: Object.fromEntries(places) };
  }
  if (path.startsWith("/openapi/v3/")) return checkedByServer(path.slice("/openapi/v3".length));
  const kinds = KINDS[path];
  if (kinds === undefined) return undefined;
  const served = Object.entries(kinds).filter(([name]) => !unserved.has(name));
  const resources = served.map(([name, kind]) => ({
    name,
    singularName: kind.toLowerCase(),
    namespaced: !UNNAMESPACED.test(kind) && !path.includes("admission"),
    kind,
    verbs: ["get", "list", "watch", "patch", "create", "update", "delete"],
    ...(Object.hasOwn(SHORT_NAMES, name) && { shortNames: [SHORT_NAMES[name] as string] }),
  }));
  return { kind: "APIResourceList", apiVersion: "v1", groupVersion: path.replace(/^\/apis?\//, ""), resources };
}

function groupAt(place: string): JsonObject {
  const [name = "", version = ""] = place.split("/").slice(2);
  const preferredVersion = { groupVersion: `${name}/${version}`, version };
  return { name, versions: [preferredVersion], preferredVersion };
}
