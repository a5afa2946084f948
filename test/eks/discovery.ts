// What an API server says of itself, as far as kubectl asks: groups, versions and kinds.
import type { JsonObject } from "@outrigger/base";

const KINDS: Readonly<Record<string, readonly (readonly [plural: string, kind: string])[]>> = {
  "/api/v1": [
    ["pods", "Pod"],
    ["namespaces", "Namespace"],
    ["configmaps", "ConfigMap"],
  ],
  "/apis/apps/v1": [
    ["deployments", "Deployment"],
    ["statefulsets", "StatefulSet"],
    ["daemonsets", "DaemonSet"],
    ["replicasets", "ReplicaSet"],
  ],
};

/** The answer to a question of discovery; undefined for any other path. */
export function discoveryOf(path: string): JsonObject | undefined {
  if (path === "/api") return { kind: "APIVersions", versions: ["v1"] };
  if (path === "/apis") {
    const version = { groupVersion: "apps/v1", version: "v1" };
    return {
      kind: "APIGroupList",
      apiVersion: "v1",
      groups: [{ name: "apps", versions: [version], preferredVersion: version }],
    };
  }
  const kinds = KINDS[path];
  if (kinds === undefined) return undefined;
  const resources = kinds.map(([name, kind]) => ({
    name,
    singularName: kind.toLowerCase(),
    namespaced: kind !== "Namespace",
    kind,
    verbs: ["get", "list", "watch", "patch", "create", "update", "delete"],
    ...(name === "deployments" && { shortNames: ["deploy"] }),
  }));
  return { kind: "APIResourceList", apiVersion: "v1", groupVersion: path.replace(/^\/apis?\//, ""), resources };
}
