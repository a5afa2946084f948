// Owns the emergency switch: nothing in the cluster waits for Outrigger any more. Needs the cluster and nothing else.
import { isObject } from "../json.ts";
import { OFF_ANNOTATION } from "../webhook/webhook-configuration.ts";
import { findInstalled, findOwn, pathOf } from "./installed-webhooks.ts";
import type { KubeClient } from "./kube-client.ts";
import { removeObjects } from "./registration.ts";

/**
 * Lets every pod in, whatever becomes of the call: failures are ignored, calls are waited for a second, and the safety net
 * warns instead of rejecting. With `remove`, nothing is called at all. Registering again puts everything back.
 *
 * @param at when it is, as ISO 8601
 * @returns what was changed
 */
export async function switchOff(
  kube: KubeClient,
  { remove, at }: { readonly remove: boolean; readonly at: string },
): Promise<readonly string[]> {
  if (remove) return (await removeObjects(kube, undefined)).map((what) => `Removed ${what}`);
  const changed: string[] = [];
  for (const { metadata } of await findOwn(kube, "ValidatingAdmissionPolicyBinding")) {
    const name = String(isObject(metadata) ? metadata["name"] : "");
    await kube.mergePatch(pathOf("ValidatingAdmissionPolicyBinding", name), { spec: { validationActions: ["Warn"] } });
    changed.push(`ValidatingAdmissionPolicyBinding ${name} only warns`);
  }
  for (const { name, object } of await findInstalled(kube)) {
    const webhooks = Array.isArray(object["webhooks"]) ? object["webhooks"].filter(isObject) : [];
    await kube.mergePatch(pathOf("MutatingWebhookConfiguration", name), {
      metadata: { annotations: { [OFF_ANNOTATION]: at } },
      // A merge patch replaces lists whole, so the list is what was read but for these fields.
      webhooks: webhooks.map((webhook) => ({ ...webhook, failurePolicy: "Ignore", timeoutSeconds: 1 })),
    });
    changed.push(`MutatingWebhookConfiguration ${name} ignores failures and is waited for one second`);
  }
  return changed;
}
