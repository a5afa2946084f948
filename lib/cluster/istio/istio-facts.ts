// What is read about Istio's control plane in a cluster: its name for the cluster, and whether its own injector is
// installed. Reads only.
import { isObject, listOf, OutriggerError, objectOf, objectsOf } from "@outrigger/base";
import type { WebhookSettings } from "@outrigger/webhook";
import { configurationName } from "@outrigger/webhook";
import type { KubeClient } from "../kube/kube-client.ts";
import { pathOf } from "../objects/installed-webhooks.ts";

/**
 * Istio's own name for the cluster, as istiod has it: proxies that give another one get no certificate. Looked for in every
 * namespace, and where that is not allowed in Istio's usual one.
 */
export async function findClusterId(kube: KubeClient): Promise<string | undefined> {
  for (const path of DEPLOYMENTS) {
    const found = await findClusterIdAt(kube, path);
    if (found !== DENIED) return found;
  }
  return undefined;
}

const DENIED = Symbol("denied");
const DEPLOYMENTS = ["/apis/apps/v1/deployments", "/apis/apps/v1/namespaces/istio-system/deployments"];

async function findClusterIdAt(kube: KubeClient, path: string): Promise<string | undefined | typeof DENIED> {
  try {
    for await (const { spec } of kube.list(path, { labelSelector: "app=istiod" })) {
      const template = isObject(spec) ? spec["template"] : undefined;
      const pod = isObject(template) ? template["spec"] : undefined;
      const containers = listOf(objectOf(pod)["containers"]);
      for (const container of containers.filter(isObject)) {
        const variables = objectsOf(container["env"]);
        const value = variables.find(({ name }) => name === "CLUSTER_ID")?.["value"];
        if (typeof value === "string") return value;
      }
    }
  } catch (error) {
    // Without permission to look, registering goes on: the release's own values name the cluster then.
    if (!(error instanceof OutriggerError) || error.code !== "cluster-denied") throw error;
    return DENIED;
  }
  return undefined;
}

/** Warnings about other injectors of the same pods: each pod would be injected twice. */
export async function findRivals(
  kube: KubeClient,
  settings: Pick<WebhookSettings, "revision" | "tags">,
): Promise<readonly string[]> {
  const names = [undefined, ...settings.tags].map((tag) =>
    configurationName(settings.revision, tag).replace(/^outrigger-/, "istio-"),
  );
  const found: string[] = [];
  for (const name of names) {
    try {
      if ((await kube.get(pathOf("MutatingWebhookConfiguration", name))) === undefined) continue;
      found.push(
        `istiod's own ${name} selects the same pods and is called first: Outrigger replaces what it injected; remove it before the phase enforce (docs/register.md)`,
      );
    } catch (error) {
      if (!(error instanceof OutriggerError)) throw error;
      found.push(`Could not check whether istiod's own ${name} selects the same pods: ${error.message}`);
    }
  }
  return found;
}
