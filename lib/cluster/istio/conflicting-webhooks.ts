// Whether istiod's own injector is installed next to ours, for registering. Reads only.
import { OutriggerError } from "@outrigger/base";
import type { WebhookSettings } from "@outrigger/webhook";
import { configurationName } from "@outrigger/webhook";
import type { KubeClient } from "../kube/kube-client.ts";
import { pathOf } from "../objects/own-kinds.ts";

/** Warnings about other injectors of the same pods: each pod would be injected twice. */
export async function warnOfConflictingWebhooks(
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
