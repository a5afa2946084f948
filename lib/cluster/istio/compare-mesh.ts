// Comparing the mesh config that sidecars are built from with the one that istiod runs with. Where they differ, sidecars
// and control plane are configured differently. Pure.
import { isObject, type JsonObject } from "@outrigger/base";
import { type MeshConfig, readMeshConfig } from "@outrigger/mesh";
import { differences } from "@outrigger/webhook";

/** The parts of a mesh config that are rendered into a sidecar; only istiod uses the rest. */
const FIELDS = [
  "defaultConfig",
  "rootNamespace",
  "trustDomain",
  "proxyListenPort",
  "proxyInboundListenPort",
  "enablePrometheusMerge",
  "inboundTrafficPolicy",
] as const;

/** Where istiod keeps its mesh config: `istio`, and `istio-<revision>` for another revision than the default. */
export function meshConfigMapPath(namespace: string, revision: string): string {
  const name = revision === "default" ? "istio" : `istio-${revision}`;
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/configmaps/${name}`;
}

/**
 * Where istiod's mesh config differs from the release's.
 *
 * @param configMap istiod's, or undefined where there is none: nothing can be compared then
 * @throws OutriggerError `mesh-invalid` or `yaml-invalid` for a text that cannot be read
 */
export function compareMesh(ours: MeshConfig, configMap: JsonObject | undefined): ReturnType<typeof differences> {
  const data = configMap?.["data"];
  const text = isObject(data) ? data["mesh"] : undefined;
  if (typeof text !== "string") return [];
  const { meshConfig } = readMeshConfig([text], "istiod's ConfigMap, key mesh");
  return differences(pick(meshConfig), pick(ours), "mesh config");
}

function pick(meshConfig: MeshConfig): JsonObject {
  return Object.fromEntries(FIELDS.map((field) => [field, meshConfig[field]]));
}
