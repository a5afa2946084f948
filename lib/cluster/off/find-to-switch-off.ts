// Finding what the emergency switch is about: ours by label, name or URL. Where nobody may list, it goes by the names that are known.
import type { JsonObject, OutriggerError } from "@outrigger/base";
import { DEFAULT_REVISION, objectOf, objectsOf, ownError, textOf } from "@outrigger/base";
import { metadataOf } from "@outrigger/pod";
import {
  configurationName,
  FIELD_MANAGER,
  objectKeys,
  parseWebhookUrl,
  safetyNetBindingNames,
} from "@outrigger/webhook";
import type { KubeClient } from "../kube/kube-client.ts";
import { deploymentOf, listKind, nameOf, OWN_SELECTOR, type OwnKind } from "../objects/own-objects.ts";

export interface SwitchOffOptions {
  readonly remove: boolean;
  /** The time, as ISO 8601. */
  readonly at: string;
  /** Revisions and tags to try by name where the cluster does not allow listing. The default revision always is. */
  readonly revisions?: readonly string[];
  readonly tags?: readonly string[];
}

export interface SwitchedOff {
  /** Sentences about what no longer waits or rejects. */
  readonly done: readonly string[];
  /** The objects that may still do so. */
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

export async function findConfigurations(kube: KubeClient, options: SwitchOffOptions) {
  const known = [
    ...[DEFAULT_REVISION, ...(options.revisions ?? [])].map((revision) => configurationName(revision)),
    ...(options.tags ?? []).map((tag) => configurationName(DEFAULT_REVISION, tag)),
  ];
  return find(kube, "MutatingWebhookConfiguration", isOurs, known);
}

export async function findBindings(kube: KubeClient, options: SwitchOffOptions, configurations: readonly string[]) {
  const named = (pattern: RegExp) => configurations.flatMap((name) => pattern.exec(name)?.[1] ?? []);
  const tags = new Set([...named(/^outrigger-revision-tag-(.+)$/), ...(options.tags ?? [])]);
  const revisions = [...named(/^outrigger-sidecar-injector-(.+)$/), ...(options.revisions ?? [])];
  const all = [...new Set([DEFAULT_REVISION, ...revisions])];
  const known = all.flatMap((revision) => safetyNetBindingNames(revision, [...tags]));
  return find(kube, "ValidatingAdmissionPolicyBinding", isOursByName, known);
}

export function findPolicies(kube: KubeClient) {
  return find(kube, "ValidatingAdmissionPolicy", isOursByName, []);
}

/** Lists the names of a kind; where that fails, goes by the names that are known and says in `left` what could not be listed. */
async function find(
  kube: KubeClient,
  kind: OwnKind,
  isOwn: (object: JsonObject) => boolean,
  known: readonly string[],
): Promise<Pick<SwitchedOff, "left"> & { readonly found: readonly string[] }> {
  try {
    return { found: (await listKind(kube, kind)).filter(isOwn).map(nameOf), left: [] };
  } catch (thrown) {
    const error = ownError(thrown);
    const kubectl = `kubectl delete ${kind.toLowerCase()} -l ${OWN_SELECTOR}`;
    const problem = `could not be listed (${error.message}); tried by name: ${known.slice(0, 6).join(", ")}`;
    return { found: known, left: [{ what: `other ${kind}s of Outrigger`, problem, cause: error, kubectl }] };
  }
}

/** Ours by its URL too: another tool may have taken over the label. */
function isOurs(object: JsonObject): boolean {
  const urls = objectsOf(object["webhooks"]).map(({ clientConfig }) => textOf(objectOf(clientConfig)["url"]) ?? "");
  return isOursByName(object) || urls.some((url) => /^[A-Za-z0-9_-]{43}$/.test(parseWebhookUrl(url)?.token ?? ""));
}

function isOursByName(object: JsonObject): boolean {
  const { name, labels } = metadataOf(object);
  const isManaged = labels[objectKeys.managedBy] === FIELD_MANAGER;
  return isManaged || deploymentOf(object) !== undefined || /^outrigger-(sidecar-injector|revision-tag-)/.test(name);
}
