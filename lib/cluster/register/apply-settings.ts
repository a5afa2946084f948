// Bringing settings into a cluster in the order in which no pod is rejected before the webhook is proven: first under
// Ignore and with a safety net that only warns, then the proof, then the strict policies.
import type { JsonObject } from "@outrigger/base";
import type { WebhookSettings } from "@outrigger/webhook";
import { formatSettings, ownAnnotations, safetyNetBindingNames } from "@outrigger/webhook";
import type { KubeClient } from "../kube/kube-client.ts";
import { type InstalledWebhook, type OwnKind, pathOf } from "../objects/installed-webhooks.ts";
import { applyObjects, findObjects, nameOf, type OwnObjects, planObjects, revisionOf } from "../objects/own-objects.ts";
import { builtObjects } from "./registration.ts";

/** Whether settings can reject a pod: by failing, or by the safety net. */
export function isStrict({ phase, failurePolicy, safetyNet }: Omit<WebhookSettings, "token">): boolean {
  return (failurePolicy ?? (phase === "enforce" ? "Fail" : "Ignore")) === "Fail" || safetyNet === "deny";
}

/**
 * Applies settings, calling `prove` while nothing of them can reject a pod yet.
 *
 * @param before the revision's configuration as it was found
 * @param prove throws where the API server does not get an answer
 * @throws OutriggerError what `prove` throws, or `cluster-conflict`
 */
export async function applyProven(
  kube: KubeClient,
  settings: WebhookSettings,
  before: InstalledWebhook | undefined,
  prove: () => Promise<void>,
): Promise<void> {
  const target = await planObjects(kube, settings.deployment, builtObjects(settings));
  const isChanged = target.some(({ drift }) => drift.length > 0) || before?.off !== undefined;
  if (isChanged && isStrict(settings)) {
    await lowerSafetyNet(kube, settings);
    await applyObjects(kube, await planObjects(kube, settings.deployment, loweredObjects(settings, before)));
  } else {
    if (isChanged) await lowerSafetyNet(kube, settings);
    await applyObjects(kube, target);
  }
  await prove();
  if (isStrict(settings)) {
    await applyObjects(kube, await planObjects(kube, settings.deployment, builtObjects(settings)));
  }
  await removeOthers(kube, settings);
  if (before?.off !== undefined) await removeOffMarks(kube, settings);
}

/**
 * The objects while they are being proven: the very selectors, and no rejection. If the command is killed here, the settings
 * in the annotation are those that were in force, or the phase that these objects are.
 */
function loweredObjects(settings: WebhookSettings, before: InstalledWebhook | undefined): readonly JsonObject[] {
  const { failurePolicy: _, safetyNet, phase, ...others } = settings;
  const lowered: WebhookSettings = {
    ...others,
    phase: phase === "enforce" ? "cluster" : phase,
    timeoutSeconds: Math.min(settings.timeoutSeconds, LONGEST_PROOF),
    ...(safetyNet === undefined ? {} : { safetyNet: "warn" }),
  };
  const wasStrict = before?.settings !== undefined && isStrict(before.settings) && before.settings.phase === phase;
  const annotated = formatSettings(wasStrict ? settings : { ...lowered, timeoutSeconds: settings.timeoutSeconds });
  return builtObjects(lowered).map((object) => withAnnotation(object, annotated));
}

/** Seconds that one try of the proof may hang; the self-test has used the webhook's own timeout. */
const LONGEST_PROOF = 10;

function withAnnotation(object: JsonObject, settings: string): JsonObject {
  const metadata = object["metadata"] as JsonObject;
  if (metadata["annotations"] === undefined) return object;
  return { ...object, metadata: { ...metadata, annotations: { [ownAnnotations.settings]: settings } } };
}

/** Bindings that reject would reject what a webhook that is being changed does not inject. */
async function lowerSafetyNet(kube: KubeClient, settings: WebhookSettings): Promise<void> {
  for (const { kind, name, object } of await findAffected(kube, settings)) {
    const { validationActions } = (object["spec"] ?? {}) as { readonly validationActions?: readonly string[] };
    if (kind !== "ValidatingAdmissionPolicyBinding" || validationActions?.includes("Deny") !== true) continue;
    await kube.mergePatch(pathOf(kind, name), { spec: { validationActions: ["Warn"] } });
  }
}

/** The revision's objects, and the safety nets that other revisions have for tags that are moving here. */
async function findAffected(kube: KubeClient, { deployment, revision, tags }: WebhookSettings): Promise<OwnObjects> {
  const all = await findObjects(kube, deployment);
  return all.filter(({ kind, name, object }) => {
    const owner = revisionOf(object);
    if (owner === revision) return true;
    if (kind !== "ValidatingAdmissionPolicyBinding" || owner === undefined) return false;
    return safetyNetBindingNames(owner, tags).includes(name) && !safetyNetBindingNames(owner, []).includes(name);
  });
}

/** Removes tags and safety nets of the revision that are no longer asked for, and those of others for its tags. */
async function removeOthers(kube: KubeClient, settings: WebhookSettings): Promise<void> {
  const wanted = new Set(builtObjects(settings).map((object) => pathOf(object["kind"] as OwnKind, nameOf(object))));
  for (const { kind, name } of await findAffected(kube, settings)) {
    if (!wanted.has(pathOf(kind, name))) await kube.remove(pathOf(kind, name));
  }
}

async function removeOffMarks(kube: KubeClient, { deployment, revision }: WebhookSettings): Promise<void> {
  for (const { kind, name, object } of await findObjects(kube, deployment, revision)) {
    const { annotations } = object["metadata"] as { readonly annotations?: JsonObject };
    if (kind !== "MutatingWebhookConfiguration" || annotations?.[ownAnnotations.off] === undefined) continue;
    await kube.mergePatch(pathOf(kind, name), { metadata: { annotations: { [ownAnnotations.off]: null } } });
  }
}
