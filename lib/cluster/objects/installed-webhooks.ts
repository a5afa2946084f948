// Finding Outrigger's objects in a cluster, and whose an object is. Reads only.
import { defined, isObject, type JsonObject, listOf, OutriggerError, objectOf } from "@outrigger/base";
import { ownAnnotations, ownLabels, parseSettings, parseWebhookUrl, selectorsOf } from "@outrigger/webhook";
import type { KubeClient } from "../kube/kube-client.ts";
import { isAbsentKind } from "./absent-kind.ts";
import { assertOwnManaged, deploymentOf, OWN_SELECTOR } from "./object-owner.ts";
import { isOffMark } from "./off-mark.ts";
import { type OwnKind, pathOf } from "./own-kinds.ts";

/** A MutatingWebhookConfiguration of ours, as the cluster has it. */
export interface InstalledWebhook {
  readonly name: string;
  readonly object: JsonObject;
  readonly deployment: string;
  readonly revision: string;
  /** Set where it is the configuration of a tag. */
  readonly tag?: string;
  /** What was asked for; missing where the annotation is damaged. */
  readonly settings?: NonNullable<ReturnType<typeof parseSettings>>;
  /** Of the first URL that has one. A secret. */
  readonly token?: string;
  /** When `outrigger off` was run. */
  readonly off?: string;
}

/** Every webhook configuration that is ours, of one deployment or of all. */
export async function findInstalled(kube: KubeClient, deployment?: string): Promise<readonly InstalledWebhook[]> {
  return (await findConfigurations(kube, deployment)).installed;
}

export interface FoundConfigurations {
  readonly installed: readonly InstalledWebhook[];
  /** The mark of a cluster that was switched off when it had none of our objects: see off-mark.ts. */
  readonly offMark: JsonObject | undefined;
}

/** The webhook configurations and the mark, in one look: nothing can happen in between. */
export async function findConfigurations(kube: KubeClient, deployment?: string): Promise<FoundConfigurations> {
  const installed: InstalledWebhook[] = [];
  let offMark: JsonObject | undefined;
  const path = pathOf("MutatingWebhookConfiguration");
  for await (const object of kube.list(path, { labelSelector: OWN_SELECTOR })) {
    if (isOffMark(object)) offMark = object;
    else if (isOf(object, deployment)) installed.push(readInstalled(object));
  }
  return { installed, offMark };
}

/** The objects of a kind that are ours. */
export async function findOwn(kube: KubeClient, kind: OwnKind, deployment?: string): Promise<readonly JsonObject[]> {
  const found: JsonObject[] = [];
  try {
    for await (const object of kube.list(pathOf(kind), { labelSelector: OWN_SELECTOR }))
      if (isOf(object, deployment) && !isOffMark(object)) found.push(object);
  } catch (error) {
    // A cluster that serves no policies has none.
    if (!(await isAbsentKind(kube, kind, error))) throw error;
  }
  return found;
}

function isOf(object: JsonObject, deployment: string | undefined): boolean {
  return deployment === undefined || deploymentOf(object) === deployment;
}

/** What a configuration says of itself. */
function readInstalled(object: JsonObject): InstalledWebhook {
  const { labels, annotations, name } = objectOf(object["metadata"]);
  const label = (key: string) => (isObject(labels) && typeof labels[key] === "string" ? labels[key] : undefined);
  const settings = parseSettings(isObject(annotations) ? annotations[ownAnnotations.settings] : undefined);
  const off = isObject(annotations) ? annotations[ownAnnotations.off] : undefined;
  const tag = label(ownLabels.tag);
  const token = tokenOf(object);
  return {
    name: String(name),
    object,
    deployment: deploymentOf(object) ?? "",
    revision: label(ownLabels.revision) ?? "",
    ...defined({ tag, settings, token, off: typeof off === "string" ? off : undefined }),
  };
}

function tokenOf({ webhooks }: JsonObject): string | undefined {
  if (!Array.isArray(webhooks)) return undefined;
  for (const webhook of webhooks) {
    const clientConfig = isObject(webhook) ? webhook["clientConfig"] : undefined;
    const url = isObject(clientConfig) ? clientConfig["url"] : undefined;
    const token = typeof url === "string" ? parseWebhookUrl(url)?.token : undefined;
    if (token !== undefined) return token;
  }
  return undefined;
}

/**
 * The object of that name, where it is ours or there is none.
 *
 * @throws OutriggerError `cluster-conflict` where the object is another's, or another tool manages it
 */
export async function readOwn(
  kube: KubeClient,
  kind: OwnKind,
  name: string,
  deployment: string,
): Promise<JsonObject | undefined> {
  const object = await kube.get(pathOf(kind, name));
  if (object === undefined) return undefined;
  const owner = deploymentOf(object);
  if (owner === deployment) {
    assertOwnManaged(kube.name, { ...object, kind });
    return object;
  }
  throw new OutriggerError(
    "cluster-conflict",
    owner !== undefined
      ? `Cluster ${kube.name} has ${kind} "${name}" of the deployment "${owner}": unregister that one first (outrigger unregister --deployment ${owner}), or register another --revision`
      : `Cluster ${kube.name} has ${kind} "${name}" that is not Outrigger's (${ownerOf(object)}): remove it (kubectl delete ${kind.toLowerCase()} ${name}), or register another --revision`,
    { path: name },
  );
}

/** Who made an object, as far as it says. */
function ownerOf({ metadata }: JsonObject): string {
  const { labels, managedFields } = objectOf(metadata);
  const managedBy = isObject(labels) ? labels[ownLabels.managedBy] : undefined;
  if (typeof managedBy === "string") return `managed by ${managedBy}`;
  const [first] = listOf(managedFields);
  return isObject(first) ? `made by ${String(first["manager"])}` : "it names no owner";
}

/** The selectors that the settings of a configuration come to. */
export function selectorsOfInstalled({ tag, revision, settings }: InstalledWebhook): ReturnType<typeof selectorsOf> {
  return selectorsOf(tag ?? revision, settings?.namespaces ?? [], settings?.enableNamespacesByDefault);
}
