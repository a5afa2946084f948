// Outrigger's webhook configurations in a cluster, and what they say of themselves. Reads only.
import { defined, type JsonObject, objectOf, objectsOf, textOf } from "@outrigger/base";
import { metadataOf } from "@outrigger/pod";
import { objectKeys, parseSettings, parseWebhookUrl, selectorsOf, type WebhookSettings } from "@outrigger/webhook";
import type { KubeClient } from "../kube/kube-client.ts";
import { deploymentOf, findOwn, isOffMark } from "./own-objects.ts";

/** A MutatingWebhookConfiguration of ours, as the cluster has it. */
export interface InstalledWebhook {
  readonly name: string;
  readonly object: JsonObject;
  readonly deployment: string;
  readonly revision: string;
  /** Set where it is the configuration of a tag. */
  readonly tag?: string;
  /** The settings that were asked for. They are missing if the annotation is damaged. */
  readonly settings?: NonNullable<ReturnType<typeof parseSettings>>;
  /** The token of the first URL that has one. It is a secret. */
  readonly token?: string;
  /** The time at which `outrigger off` was run. */
  readonly off?: string;
}

/** Every webhook configuration that is ours, of one deployment or of all. */
export async function findInstalled(kube: KubeClient, deployment?: string): Promise<readonly InstalledWebhook[]> {
  return (await findOwn(kube, "MutatingWebhookConfiguration", deployment)).map(readInstalled);
}

/** Those of a deployment among all webhook configurations of a cluster. */
export function installedAmong(all: readonly JsonObject[], deployment: string): readonly InstalledWebhook[] {
  return all.filter((object) => deploymentOf(object) === deployment && !isOffMark(object)).map(readInstalled);
}

export function readInstalled(object: JsonObject): InstalledWebhook {
  const { name, labels, annotations } = metadataOf(object);
  const tokens = objectsOf(object["webhooks"]).flatMap(
    ({ clientConfig }) => parseWebhookUrl(textOf(objectOf(clientConfig)["url"]) ?? "")?.token ?? [],
  );
  return {
    name,
    object,
    deployment: deploymentOf(object) ?? "",
    revision: labels[objectKeys.revision] ?? "",
    ...defined({
      tag: labels[objectKeys.tag],
      settings: parseSettings(annotations[objectKeys.settings]),
      token: tokens[0],
      off: annotations[objectKeys.off],
    }),
  };
}

/** The settings by which pods are sent; undefined where the webhook is not there, or is off. */
export function settingsInForce(webhook: InstalledWebhook | undefined): InstalledWebhook["settings"] {
  return webhook?.off === undefined ? webhook?.settings : undefined;
}

/** A webhook configuration, as far as it says which pods it selects. */
export type SelectingWebhook = Pick<InstalledWebhook, "tag" | "revision"> & {
  readonly settings?: Pick<WebhookSettings, "namespaces" | "enableNamespacesByDefault" | "injectionLabel">;
};

/** The selectors that the settings of a configuration come to. */
export function selectorsOfInstalled({ tag, revision, settings }: SelectingWebhook): ReturnType<typeof selectorsOf> {
  const { namespaces = [], enableNamespacesByDefault, injectionLabel } = settings ?? {};
  return selectorsOf(tag ?? revision, namespaces, enableNamespacesByDefault, injectionLabel);
}
