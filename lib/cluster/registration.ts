// Owns what registering, rotating and unregistering are done with: ports to the cluster, to the publisher and to what
// watches over calls. Types and the few steps that all of them take.
import { OutriggerError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import type { Cause } from "../publish/publisher-request.ts";
import type { ClusterRecord } from "../serve/cluster-record.ts";
import { buildWebhookConfigurations } from "../webhook/build-webhook-configuration.ts";
import { findDrift } from "../webhook/drift.ts";
import { buildSafetyNet } from "../webhook/safety-net.ts";
import type { WebhookSettings } from "../webhook/webhook-settings.ts";
import { webhookUrl } from "../webhook/webhook-url.ts";
import type { AskPublisher } from "./ask-publisher.ts";
import { applyOwn, findOwn, type InstalledWebhook, type OwnKind, removeOwn } from "./installed-webhooks.ts";
import type { KubeClient } from "./kube-client.ts";

export interface RegistrationPorts {
  readonly kube: KubeClient;
  readonly ask: AskPublisher;
  readonly readRecord: (cluster: string) => Promise<ClusterRecord | undefined>;
  /** Throws `endpoint-unfit` where the URL does not answer as it should. */
  readonly selfTest: (url: string, settings: Pick<WebhookSettings, "timeoutSeconds" | "caBundle">) => Promise<void>;
  /** Makes, or takes away, the alarm for a cluster that does not call. */
  readonly alarm: { put(cluster: string): Promise<void>; remove(cluster: string): Promise<void> };
  readonly randomBytes: (size: number) => Uint8Array;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Told what is being done, a line a step. */
  readonly report: (line: string) => void;
}

/** Which cluster of which deployment, and who asks. */
export interface Subject {
  /** The record's name. */
  readonly cluster: string;
  readonly deployment: string;
  readonly cause: Cause;
}

/** The objects that settings come to, in the order in which they are applied. */
export function objectsOf(settings: WebhookSettings): readonly JsonObject[] {
  return [...buildWebhookConfigurations(settings), ...buildSafetyNet(settings)];
}

/**
 * Makes a revision's objects what the settings say: applies them, takes away those that are no longer asked for, and reads
 * back what is there.
 *
 * @throws OutriggerError `cluster-conflict` where something changes them back at once
 */
export async function applySettings(kube: KubeClient, settings: WebhookSettings): Promise<void> {
  const objects = objectsOf(settings);
  const applied = await applyOwn(kube, settings.deployment, objects);
  await removeOthers(kube, settings, objects);
  const drift = objects.flatMap((object, index) => findDrift(object, applied[index]));
  const [first] = drift;
  if (first === undefined) return;
  throw new OutriggerError(
    "cluster-conflict",
    `Cluster ${kube.name} does not keep what was applied: ${first.place} is ${first.actual} and not ${first.expected}; see what changes it with kubectl get mutatingwebhookconfiguration -o yaml --show-managed-fields`,
  );
}

const KINDS: readonly OwnKind[] = [
  "ValidatingAdmissionPolicyBinding",
  "ValidatingAdmissionPolicy",
  "MutatingWebhookConfiguration",
];

/** Takes away what stands of the revision beside `objects`: tags and safety nets that are no longer asked for. */
async function removeOthers(
  kube: KubeClient,
  { deployment, revision }: Pick<WebhookSettings, "deployment" | "revision">,
  objects: readonly JsonObject[],
): Promise<void> {
  const wanted = new Set(objects.map((object) => `${String(object["kind"])}/${nameOf(object)}`));
  for (const kind of KINDS) {
    for (const object of await findOwn(kube, kind, deployment)) {
      const name = nameOf(object);
      if (revisionOf(object) === revision && !wanted.has(`${kind}/${name}`)) await removeOwn(kube, kind, name);
    }
  }
}

/** Takes a revision's objects away, all of a deployment's where none is named, and says which there were. */
export async function removeObjects(
  kube: KubeClient,
  deployment: string | undefined,
  revision?: string,
): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const kind of KINDS) {
    for (const object of await findOwn(kube, kind, deployment)) {
      if (revision !== undefined && revisionOf(object) !== revision) continue;
      const name = nameOf(object);
      if (await removeOwn(kube, kind, name)) removed.push(`${kind} ${name}`);
    }
  }
  return removed;
}

/** Puts back what was installed before, as far as it is known. */
export async function restoreSettings(
  kube: KubeClient,
  before: InstalledWebhook | undefined,
  after: WebhookSettings,
): Promise<void> {
  if (before === undefined) {
    await removeObjects(kube, after.deployment, after.revision);
  } else if (before.settings !== undefined && before.token !== undefined) {
    await applySettings(kube, { ...before.settings, token: before.token });
  }
}

/** The URL that is tested: the one that the API server is given. */
export function urlOf(settings: WebhookSettings): string {
  return webhookUrl(settings);
}

function nameOf({ metadata }: JsonObject): string {
  return String((metadata as JsonObject)["name"]);
}

function revisionOf({ metadata }: JsonObject): unknown {
  return ((metadata as JsonObject)["labels"] as JsonObject)["outrigger/revision"];
}
