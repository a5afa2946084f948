// What an import reads from a cluster: istiod's ConfigMaps of one revision, ProxyConfig resources, and istiod's webhooks. Nothing is written.
import { type JsonObject, type OutriggerError, objectOf, ownError, textOf, usageError } from "@outrigger/base";
import type { KubeClient } from "@outrigger/cluster";
import type { ImportSource } from "@outrigger/import";
import { formatYaml } from "@outrigger/yaml";

interface IstioPlace {
  readonly context: string;
  /** istiod's namespace. */
  readonly namespace: string;
  readonly revision: string | undefined;
}

/**
 * One document with all that was found.
 *
 * @throws OutriggerError `usage` where the revision has no injector, naming those that exist
 */
export async function readIstioConfiguration(kube: KubeClient, place: IstioPlace): Promise<ImportSource> {
  const { context, namespace, revision } = place;
  const maps = `/api/v1/namespaces/${encodeURIComponent(namespace)}/configmaps`;
  const suffix = revision === undefined || revision === "default" ? "" : `-${revision}`;
  const injector = await kube.get(`${maps}/istio-sidecar-injector${suffix}`);
  if (injector === undefined) throw await noInjector(kube, maps, place);
  const mesh = await kube.get(`${maps}/istio${suffix}`);
  const items = [
    { kind: "ConfigMap", ...injector },
    ...(mesh === undefined ? [] : [{ kind: "ConfigMap", ...mesh }]),
    ...(await readProxyConfigs(kube)),
    ...(await readWebhooks(kube)),
  ];
  return { file: `context ${context}`, text: formatYaml({ apiVersion: "v1", kind: "List", items }) };
}

async function noInjector(kube: KubeClient, maps: string, place: IstioPlace): Promise<OutriggerError> {
  const known: string[] = [];
  for await (const { metadata } of kube.list(maps)) {
    const name = textOf(objectOf(metadata)["name"]) ?? "";
    const found = /^istio-sidecar-injector(?:-(.+))?$/.exec(name);
    if (found !== null) known.push(found[1] ?? "default");
  }
  const wayOut =
    known.length === 0 ? "name istiod's namespace with -n" : `name one with --revision: ${known.sort().join(", ")}`;
  const { namespace, revision = "default" } = place;
  return usageError(`Cannot import: namespace ${namespace} has no injector of revision ${revision}; ${wayOut}`);
}

/** The webhooks of all revisions and tags: namespaces are labelled with their names. */
async function readWebhooks(kube: KubeClient): Promise<readonly JsonObject[]> {
  const found: JsonObject[] = [];
  const query = { labelSelector: "app=sidecar-injector" };
  const path = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
  for await (const item of kube.list(path, query)) found.push({ kind: "MutatingWebhookConfiguration", ...item });
  return found;
}

/** The oldest first, as istiod takes them. A cluster without Istio's resources has none. */
async function readProxyConfigs(kube: KubeClient): Promise<readonly JsonObject[]> {
  const found: JsonObject[] = [];
  try {
    for await (const item of kube.list("/apis/networking.istio.io/v1beta1/proxyconfigs")) found.push(item);
  } catch (error) {
    ownError(error, "cluster-kind-unknown");
  }
  const age = ({ metadata }: JsonObject) => textOf(objectOf(metadata)["creationTimestamp"]) ?? "";
  return found
    .sort((a, b) => (age(a) < age(b) ? -1 : age(a) > age(b) ? 1 : 0))
    .map(({ metadata, spec }) => {
      const { name, namespace } = objectOf(metadata);
      const kind = { apiVersion: "networking.istio.io/v1beta1", kind: "ProxyConfig" };
      return { ...kind, metadata: { name, namespace }, spec } as JsonObject;
    });
}
