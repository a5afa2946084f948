// The mark of a cluster that was switched off when it had none of our objects: a webhook configuration without webhooks. A
// registration that was running then finds it before it makes anything stricter.
import { isObject, type JsonObject, OutriggerError } from "@outrigger/base";
import { OFF_MARK_NAME, ownAnnotations, ownLabels } from "@outrigger/webhook";
import type { KubeClient } from "../kube/kube-client.ts";
import { pathOf } from "./own-kinds.ts";

const KIND = "MutatingWebhookConfiguration";

export const OFF_MARK_PATH = pathOf(KIND, OFF_MARK_NAME);

export function isOffMark({ metadata }: JsonObject): boolean {
  return isObject(metadata) && metadata["name"] === OFF_MARK_NAME;
}

/**
 * Marks the cluster.
 *
 * @param at the time, as ISO 8601
 * @returns what that comes to, as a sentence
 */
export async function putOffMark(kube: KubeClient, at: string): Promise<string> {
  const metadata = {
    name: OFF_MARK_NAME,
    labels: { [ownLabels.revision]: "" },
    annotations: { [ownAnnotations.off]: at },
  };
  const mark = { apiVersion: "admissionregistration.k8s.io/v1", kind: KIND, metadata };
  const nothing = `${kube.name} has no objects of Outrigger`;
  try {
    await kube.apply(OFF_MARK_PATH, mark, { force: true });
    return `${nothing}; the mark ${OFF_MARK_NAME} stops a registration that is running`;
  } catch (error) {
    if (!(error instanceof OutriggerError)) throw error;
    return `${nothing}; a registration that is running is not stopped, because the cluster cannot be marked (${error.message}): run this again when it has ended`;
  }
}

/** Removes the mark as it was found: a later one stays. Without the permission it stays too, and does nothing. */
export async function removeOffMark(kube: KubeClient, { metadata }: JsonObject): Promise<void> {
  const version = isObject(metadata) ? metadata["resourceVersion"] : undefined;
  try {
    await kube.remove(OFF_MARK_PATH, String(version));
  } catch (error) {
    const isHarmless = error instanceof OutriggerError && HARMLESS.has(error.code);
    if (!isHarmless) throw error;
  }
}

const HARMLESS: ReadonlySet<string> = new Set(["cluster-denied", "cluster-conflict"]);
