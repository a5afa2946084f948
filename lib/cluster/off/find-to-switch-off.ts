// Finding what the emergency switch is about: ours by label, name or URL. Where nobody may list, it goes by the names that are known.
import {
  DEFAULT_REVISION,
  isObject,
  type JsonObject,
  type OutriggerError,
  objectOf,
  objectsOf,
  ownError,
} from "@outrigger/base";
import {
  configurationName,
  FIELD_MANAGER,
  ownLabels,
  parseWebhookUrl,
  safetyNetBindingNames,
} from "@outrigger/webhook";
import type { KubeClient } from "../kube/kube-client.ts";
import { deploymentOf, listKind, nameOf, OWN_SELECTOR, type OwnKind } from "../objects/own-objects.ts";

export interface SwitchOffOptions {
  /** Remove the objects instead. */
  readonly remove: boolean;
  /** The time, as ISO 8601. */
  readonly at: string;
  /** Revisions and tags to try by name where the cluster does not allow listing. The default revision always is. */
  readonly revisions?: readonly string[];
  readonly tags?: readonly string[];
}

export interface SwitchedOff {
  /** What no longer waits or rejects, in sentences. */
  readonly done: readonly string[];
  /** What may still do so. */
  readonly left: readonly NotSwitchedOff[];
}

export interface NotSwitchedOff {
  readonly what: string;
  readonly problem: string;
  /** Left out where it is kept on purpose. */
  readonly cause?: OutriggerError;
  /** The command that finishes it. */
  readonly kubectl: string;
}

/** The names of what is there, or may be, and what could not be listed. */
export interface Found {
  readonly found: readonly string[];
  readonly left: readonly NotSwitchedOff[];
}

/** Ours by label, name or URL: another tool may have taken over the label. */
export async function findConfigurations(kube: KubeClient, options: SwitchOffOptions): Promise<Found> {
  const known = [
    ...[DEFAULT_REVISION, ...(options.revisions ?? [])].map((revision) => configurationName(revision)),
    ...(options.tags ?? []).map((tag) => configurationName(DEFAULT_REVISION, tag)),
  ];
  return find(kube, "MutatingWebhookConfiguration", isOurs, known);
}

export async function findBindings(
  kube: KubeClient,
  options: SwitchOffOptions,
  configurations: readonly string[],
): Promise<Found> {
  const tags = configurations.flatMap((name) => /^outrigger-revision-tag-(.+)$/.exec(name)?.[1] ?? []);
  const revisions = configurations.flatMap((name) => /^outrigger-sidecar-injector-(.+)$/.exec(name)?.[1] ?? []);
  const all = [...new Set([DEFAULT_REVISION, ...revisions, ...(options.revisions ?? [])])];
  const known = all.flatMap((revision) =>
    safetyNetBindingNames(revision, [...new Set([...tags, ...(options.tags ?? [])])]),
  );
  return find(kube, "ValidatingAdmissionPolicyBinding", isOursByName, known);
}

export function findPolicies(kube: KubeClient): Promise<Found> {
  return find(kube, "ValidatingAdmissionPolicy", isOursByName, []);
}

/** Lists a kind; where that fails, goes by the names that are known and says so. */
async function find(
  kube: KubeClient,
  kind: OwnKind,
  isOwn: (object: JsonObject) => boolean,
  known: readonly string[],
): Promise<Found> {
  try {
    return { found: (await listKind(kube, kind)).filter(isOwn).map(nameOf), left: [] };
  } catch (thrown) {
    const error = ownError(thrown);
    const kubectl = `kubectl delete ${kind.toLowerCase()} -l ${OWN_SELECTOR}`;
    const problem = `could not be listed (${error.message}); tried by name: ${known.slice(0, 6).join(", ")}`;
    return { found: known, left: [{ what: `other ${kind}s of Outrigger`, problem, cause: error, kubectl }] };
  }
}

function isOurs(object: JsonObject): boolean {
  return isOursByName(object) || objectsOf(object["webhooks"]).some(hasOwnUrl);
}

function isOursByName(object: JsonObject): boolean {
  return hasOwnLabel(object) || isOwnName(nameOf(object));
}

function hasOwnLabel(object: JsonObject): boolean {
  const { labels } = objectOf(object["metadata"]);
  const isManaged = isObject(labels) && labels[ownLabels.managedBy] === FIELD_MANAGER;
  return isManaged || deploymentOf(object) !== undefined;
}

function isOwnName(name: string): boolean {
  return /^outrigger-(sidecar-injector|revision-tag-)/.test(name);
}

function hasOwnUrl({ clientConfig }: JsonObject): boolean {
  const url = isObject(clientConfig) ? clientConfig["url"] : undefined;
  return typeof url === "string" && /^[A-Za-z0-9_-]{43}$/.test(parseWebhookUrl(url)?.token ?? "");
}
