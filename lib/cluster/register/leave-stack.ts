// What becomes of a revision's webhooks when a custom resource that registered them is deleted. CloudFormation deletes the old
// resource after the new one is made, under another name, logical ID or stack, and the new one when it rolls back: each
// time another resource goes on with the same webhooks.
import { isObject, objectOf } from "@outrigger/base";
import type { ClusterRecord } from "@outrigger/serving";
import { formatSettings, ownAnnotations, parseSettings } from "@outrigger/webhook";
import type { KubeClient } from "../kube/kube-client.ts";
import { changeObject } from "../objects/change-object.ts";
import { findInstalled } from "../objects/installed-webhooks.ts";
import { pathOf } from "../objects/own-kinds.ts";
import { digestOfToken } from "./tokens.ts";

/** Whose the webhooks of a revision are, for a resource that is deleted. */
export type WebhookUse =
  /** They go with it: no other resource has them, or there are none. */
  | { readonly kind: "own" }
  /** Other resources registered them too: `leave` takes the one that is deleted off them. */
  | { readonly kind: "shared"; readonly stacks: readonly string[]; readonly leave: () => Promise<void> }
  /** They call with the token of another record: the cluster was registered under another name since. */
  | { readonly kind: "renamed" };

export interface Leaving {
  readonly deployment: string;
  readonly revision: string | undefined;
  /** The record that is to go. */
  readonly record: ClusterRecord | undefined;
  /** The resource that is deleted; undefined for a person, who removes the whole registration. */
  readonly stack: string | undefined;
}

/** Whose the webhooks of a revision are: read under the record's lease. */
export async function useOfWebhooks(kube: KubeClient, leaving: Leaving): Promise<WebhookUse> {
  const { deployment, revision, record, stack } = leaving;
  if (stack === undefined) return { kind: "own" };
  const installed = (await findInstalled(kube, deployment)).filter((webhook) => webhook.revision === revision);
  const tokens = installed.flatMap(({ token }) => (token === undefined ? [] : [digestOfToken(token)]));
  const isOurs = (digest: string) => record?.tokens.some(({ sha256 }) => sha256 === digest) === true;
  if (tokens.length > 0 && !tokens.some(isOurs)) return { kind: "renamed" };
  const stacks = installed.flatMap(({ settings }) => settings?.stacks ?? []).filter((one) => one !== stack);
  if (stacks.length === 0) return { kind: "own" };
  const leaveAll = async () => {
    for (const { name } of installed) await leave(kube, name, stack);
  };
  return { kind: "shared", stacks: [...new Set(stacks)], leave: leaveAll };
}

async function leave(kube: KubeClient, name: string, stack: string): Promise<void> {
  const path = pathOf("MutatingWebhookConfiguration", name);
  await changeObject(kube, path, ({ metadata }) => {
    const { annotations } = objectOf(metadata);
    const kept = parseSettings(isObject(annotations) ? annotations[ownAnnotations.settings] : undefined);
    if (kept?.stacks === undefined || !kept.stacks.includes(stack)) return undefined;
    const settings = formatSettings({ ...kept, token: "", stacks: kept.stacks.filter((one) => one !== stack) });
    return { metadata: { annotations: { [ownAnnotations.settings]: settings } } };
  });
}
