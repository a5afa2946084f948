// Bringing settings into a cluster in the order in which no pod is rejected before the webhook is proven: first under
// Ignore and with a safety net that only warns, then the proof, then the strict policies.
import { type JsonObject, OutriggerError } from "@outrigger/base";
import type { WebhookSettings } from "@outrigger/webhook";
import { failurePolicyOf, formatSettings, objectKeys, safetyNetBindingNames } from "@outrigger/webhook";
import type { InstalledWebhook } from "../objects/installed-webhooks.ts";
import type { OwnObjects } from "../objects/own-objects.ts";
import { assertOwnManaged, canReject, changesOf, offMarkOf, pathOfObject, revisionOf } from "../objects/own-objects.ts";
import { probeInjection } from "./probe-injection.ts";
import type { Reconciler } from "./reconciler.ts";
import { builtObjects, type RegistrationPorts } from "./registration.ts";

/** Whether settings can reject a pod: by failing, or by the safety net. */
export function isStrict(settings: Omit<WebhookSettings, "token">): boolean {
  return failurePolicyOf(settings) === "Fail" || settings.safetyNet === "deny";
}

export interface Application {
  readonly settings: WebhookSettings;
  /** The revision's configuration as it was found. */
  readonly before: InstalledWebhook | undefined;
  /** Whether to enforce even if no pod could be tried through the API server. */
  readonly allowUnproven: boolean;
  /** Waits until every container knows the token. */
  readonly settle: () => Promise<void>;
}

/**
 * Applies settings, and proves them while nothing of them can reject a pod yet.
 *
 * @returns what could not be proven, as warnings
 * @throws OutriggerError `endpoint-unfit` where the API server does not get an answer, or `cluster-conflict`
 */
export async function applyAndProve(
  cluster: Reconciler,
  { settings, before, allowUnproven, settle }: Application,
  ports: RegistrationPorts,
): Promise<readonly string[]> {
  const target = builtObjects(settings);
  const wanted = new Map(target.map((object) => [pathOfObject(object), object]));
  const isOff = [...wanted.keys()].some((path) => offMarkOf(cluster.at(path)) !== undefined);
  const isChanged = isOff || [...wanted].some(([path, object]) => changesOf(object, cluster.at(path)).length > 0);
  const found = affected(cluster, settings, ports.kube.name);
  if (isChanged) await lowerSafetyNet(cluster, found);
  for (const object of isChanged && isStrict(settings) ? loweredObjects(settings, before) : target) {
    await cluster.put(object);
  }
  const unproven = await prove(settings, ports);
  await settle();
  const wasStrict = before?.settings !== undefined && before.off === undefined && isStrict(before.settings);
  if (unproven !== undefined && isStrict(settings) && !wasStrict && !allowUnproven) {
    const message = `Cannot enforce what was not proven: ${unproven}; make it possible, or pass --force`;
    throw new OutriggerError("endpoint-unfit", message);
  }
  await cluster.assertUntouched();
  // All of them are there by now: off, from here on, finds each of them, and changes its version.
  if (isChanged && isStrict(settings)) for (const object of target) await cluster.put(object);
  // The marks that were found: a later one stays.
  for (const path of wanted.keys()) {
    const unmarked = { metadata: { annotations: { [objectKeys.off]: null } } };
    await cluster.patch(path, (object) => (offMarkOf(object) === undefined ? undefined : unmarked));
  }
  // Tags and safety nets of the revision that are no longer asked for, and those of others for its tags.
  for (const { object } of found) if (!wanted.has(pathOfObject(object))) await cluster.remove(pathOfObject(object));
  return unproven === undefined ? [] : [`No pod was tried through the API server: ${unproven}`];
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
  return { ...object, metadata: { ...metadata, annotations: { [objectKeys.settings]: settings } } };
}

/** Bindings that reject would reject what a webhook that is being changed does not inject. */
async function lowerSafetyNet(cluster: Reconciler, found: OwnObjects): Promise<void> {
  const lowered = { spec: { validationActions: ["Warn"] } };
  for (const { kind, object } of found) {
    if (kind !== "ValidatingAdmissionPolicyBinding") continue;
    await cluster.patch(pathOfObject(object), (binding) => (canReject(binding) ? lowered : undefined));
  }
}

/** The revision's objects, and the safety nets that other revisions have for tags that are moving here. */
function affected(cluster: Reconciler, { revision, tags }: WebhookSettings, name: string): OwnObjects {
  const found = cluster.objects().filter((one) => {
    const owner = revisionOf(one.object);
    if (owner === revision) return true;
    if (one.kind !== "ValidatingAdmissionPolicyBinding" || owner === undefined) return false;
    const isOfTag = !safetyNetBindingNames(owner, []).includes(one.name);
    return isOfTag && safetyNetBindingNames(owner, tags).includes(one.name);
  });
  for (const { object } of found) assertOwnManaged(name, object);
  return found;
}

/** Creates a pod as a dry run. Why nothing could be proven; undefined where it was. */
async function prove(settings: WebhookSettings, ports: RegistrationPorts): Promise<string | undefined> {
  const { kube, sleep, report } = ports;
  report("Creating a pod as a dry run, to prove that the API server reaches the webhook");
  const proof = await probeInjection(kube, settings, sleep, report);
  switch (proof.kind) {
    case "injected":
      report(`The API server injects a pod that is created as a dry run in the namespace ${proof.namespace}`);
      return undefined;
    case "answered":
      report(
        `The API server asks the webhook; no template is for a pod of the namespace ${proof.namespace} without labels`,
      );
      return undefined;
    case "untried":
      return proof.why;
    case "failed":
      throw new OutriggerError("endpoint-unfit", `The API server cannot use the webhook: ${proof.message}`);
    case "not-injected": {
      const { host } = new URL(settings.url);
      // A webhook that may fail fails in silence: the API server says neither that it cannot connect nor that it does not trust.
      const found = `The API server does not get an answer from the webhook, and admits a pod of the namespace ${proof.namespace} without a sidecar`;
      const trusted =
        settings.caBundle === undefined
          ? "give the authority of a private one by --ca-file"
          : "--ca-file names its authority";
      const message = `${found}: check that the cluster's control plane reaches ${host} (its security group, egress and DNS) and trusts its certificate (${trusted})`;
      throw new OutriggerError("endpoint-unfit", message);
    }
  }
}
