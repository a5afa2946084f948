// Owns what is read of Istio's own control plane in a cluster: by which name it knows the cluster, and whether its injector
// is there too. Reads only.
import { OutriggerError } from "../errors.ts";
import { isObject } from "../json.ts";
import { configurationName } from "../webhook/build-webhook-configuration.ts";
import type { WebhookSettings } from "../webhook/webhook-settings.ts";
import { pathOf } from "./installed-webhooks.ts";
import type { KubeClient } from "./kube-client.ts";

/** Istio's own name for the cluster, as istiod has it: proxies that give another one get no certificate. */
export async function findClusterId(kube: KubeClient): Promise<string | undefined> {
  try {
    for await (const { spec } of kube.list("/apis/apps/v1/deployments", { labelSelector: "app=istiod" })) {
      const template = isObject(spec) ? spec["template"] : undefined;
      const pod = isObject(template) ? template["spec"] : undefined;
      const containers = isObject(pod) && Array.isArray(pod["containers"]) ? pod["containers"] : [];
      for (const container of containers.filter(isObject)) {
        const variables = Array.isArray(container["env"]) ? container["env"].filter(isObject) : [];
        const value = variables.find(({ name }) => name === "CLUSTER_ID")?.["value"];
        if (typeof value === "string") return value;
      }
    }
  } catch (error) {
    // Not being allowed to look is no reason not to register: the release's own values name the cluster then.
    if (!(error instanceof OutriggerError) || error.code !== "cluster-denied") throw error;
  }
  return undefined;
}

/** Other injectors of the same pods: each pod would be injected twice. */
export async function findRivals(
  kube: KubeClient,
  settings: Pick<WebhookSettings, "revision" | "tags">,
): Promise<readonly string[]> {
  const names = [undefined, ...settings.tags].map((tag) =>
    configurationName(settings.revision, tag).replace(/^outrigger-/, "istio-"),
  );
  const found: string[] = [];
  for (const name of names) {
    if ((await kube.get(pathOf("MutatingWebhookConfiguration", name))) !== undefined) found.push(name);
  }
  return found.map(
    (name) =>
      `istiod's own ${name} asks for the same pods: they keep what was injected first; take it away before the phase enforce (docs/register.md)`,
  );
}
