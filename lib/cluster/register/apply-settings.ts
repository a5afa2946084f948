// Bringing settings into a cluster in the order in which no pod is rejected before the webhook is proven: first under
// Ignore and with a safety net that only warns, then the proof, then the strict policies.
import { type JsonObject, objectOf } from "@outrigger/base";
import type { WebhookSettings } from "@outrigger/webhook";
import { formatSettings, ownAnnotations, safetyNetBindingNames } from "@outrigger/webhook";
import type { KubeClient } from "../kube/kube-client.ts";
import { type Baseline, offMarkOf, type Seen } from "../objects/baseline.ts";
import { changeObject } from "../objects/change-object.ts";
import { type FoundConfigurations, findConfigurations, type InstalledWebhook } from "../objects/installed-webhooks.ts";
import { assertOwnManaged } from "../objects/object-owner.ts";
import { OFF_MARK_PATH } from "../objects/off-mark.ts";
import { type OwnKind, pathOf } from "../objects/own-kinds.ts";
import {
  applyObjects,
  findObjects,
  nameOf,
  type OwnObjects,
  type PlannedObject,
  planObjects,
  removeOwn,
  revisionOf,
} from "../objects/own-objects.ts";
import { builtObjects } from "./registration.ts";

/** Whether settings can reject a pod: by failing, or by the safety net. */
export function isStrict({ phase, failurePolicy, safetyNet }: Omit<WebhookSettings, "token">): boolean {
  return (failurePolicy ?? (phase === "enforce" ? "Fail" : "Ignore")) === "Fail" || safetyNet === "deny";
}

/**
 * Applies settings, calling `prove` while nothing of them can reject a pod yet.
 *
 * @param before the revision's configuration as it was found
 * @param baseline its objects as they were found
 * @param prove throws where the API server does not get an answer
 * @throws OutriggerError what `prove` throws, or `cluster-conflict`
 */
export async function applyProven(
  kube: KubeClient,
  settings: WebhookSettings,
  before: InstalledWebhook | undefined,
  baseline: Baseline,
  prove: () => Promise<void>,
): Promise<void> {
  const target = builtObjects(settings);
  const planned = await planObjects(kube, settings.deployment, target);
  const isOff = planned.some(({ before }) => before !== undefined && offMarkOf(before) !== undefined);
  const isChanged = isOff || planned.some(({ drift }) => drift.length > 0);
  if (isChanged) await lowerSafetyNet(kube, settings);
  const first = isChanged && isStrict(settings) ? loweredObjects(settings, before) : target;
  await applyObjects(kube, settings.deployment, first, baseline);
  await prove();
  await assertNotOff(kube, settings, baseline);
  if (isStrict(settings)) await applyObjects(kube, settings.deployment, target, baseline);
  // Off may have listed the objects before one of these was made, and goes on to mark those that it found.
  await assertNotOff(kube, settings, baseline);
  if (isOff) await removeOffMarks(kube, planned, baseline);
  await removeOthers(kube, settings);
}

/** Off is stronger than everything that began before it. */
async function assertNotOff(kube: KubeClient, { deployment }: WebhookSettings, baseline: Baseline): Promise<void> {
  baseline.assertAll(pathOf(CONFIGURATION), seenIn(await findConfigurations(kube, deployment)));
}

/** What a baseline is made of, and compared with. */
export function seenIn({ installed, offMark }: FoundConfigurations): readonly Seen[] {
  const configurations = installed.map(({ name, object }) => ({ path: pathOf(CONFIGURATION, name), object }));
  return [...configurations, { path: OFF_MARK_PATH, object: offMark }];
}

const CONFIGURATION: OwnKind = "MutatingWebhookConfiguration";

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
  for (const { kind, name } of await findAffected(kube, settings)) {
    if (kind !== "ValidatingAdmissionPolicyBinding") continue;
    await changeObject(kube, pathOf(kind, name), ({ spec }) => {
      const { validationActions } = objectOf(spec);
      const isStrict = Array.isArray(validationActions) && validationActions.includes("Deny");
      return isStrict ? { spec: { validationActions: ["Warn"] } } : undefined;
    });
  }
}

/** The revision's objects, and the safety nets that other revisions have for tags that are moving here. */
async function findAffected(kube: KubeClient, { deployment, revision, tags }: WebhookSettings): Promise<OwnObjects> {
  const all = await findObjects(kube, deployment);
  const affected = all.filter(({ kind, name, object }) => {
    const owner = revisionOf(object);
    if (owner === revision) return true;
    if (kind !== "ValidatingAdmissionPolicyBinding" || owner === undefined) return false;
    return safetyNetBindingNames(owner, tags).includes(name) && !safetyNetBindingNames(owner, []).includes(name);
  });
  for (const { kind, object } of affected) assertOwnManaged(kube.name, { ...object, kind });
  return affected;
}

/** Removes tags and safety nets of the revision that are no longer asked for, and those of others for its tags. */
async function removeOthers(kube: KubeClient, settings: WebhookSettings): Promise<void> {
  const wanted = new Set(builtObjects(settings).map((object) => pathOf(object["kind"] as OwnKind, nameOf(object))));
  for (const { kind, name } of await findAffected(kube, settings)) {
    if (!wanted.has(pathOf(kind, name))) await removeOwn(kube, settings.deployment, kind, name);
  }
}

/** Takes off the marks that the command found; a later one stays. */
async function removeOffMarks(
  kube: KubeClient,
  planned: readonly PlannedObject[],
  { assertKnown }: Baseline,
): Promise<void> {
  for (const { path } of planned) {
    await changeObject(kube, path, (object) => {
      assertKnown(path, object);
      if (offMarkOf(object) === undefined) return undefined;
      return { metadata: { annotations: { [ownAnnotations.off]: null } } };
    });
  }
}
