// The kinds of object that Outrigger makes in a cluster, their paths, and whether a cluster serves them.
import { isOwnError, type JsonObject, objectsOf } from "@outrigger/base";
import { metadataOf } from "@outrigger/pod";
import type { KubeClient } from "../kube/kube-client.ts";

export const GROUP_PATH = "/apis/admissionregistration.k8s.io/v1";

/** Path segments of our kinds, in the order in which they are created. */
const PLURALS = {
  MutatingWebhookConfiguration: "mutatingwebhookconfigurations",
  ValidatingAdmissionPolicy: "validatingadmissionpolicies",
  ValidatingAdmissionPolicyBinding: "validatingadmissionpolicybindings",
} as const;

export type OwnKind = keyof typeof PLURALS;

export const ownKinds = Object.keys(PLURALS) as readonly OwnKind[];

export function pathOf(kind: OwnKind, name?: string): string {
  return `${GROUP_PATH}/${PLURALS[kind]}${name === undefined ? "" : `/${encodeURIComponent(name)}`}`;
}

export function pathOfObject(object: JsonObject): string {
  return pathOf(object["kind"] as OwnKind, metadataOf(object).name);
}

/** Every object of a kind; none where the cluster does not serve it. An item of a list does not say its kind: it is added. */
export async function listKind(
  kube: KubeClient,
  kind: OwnKind,
  query?: Readonly<Record<string, string>>,
): Promise<readonly JsonObject[]> {
  const listed: JsonObject[] = [];
  try {
    for await (const object of kube.list(pathOf(kind), query)) {
      listed.push({ apiVersion: GROUP_PATH.slice("/apis/".length), kind, ...object });
    }
  } catch (error) {
    if (!(await isAbsentKind(kube, kind, error))) throw error;
  }
  return listed;
}

/**
 * Whether the server lists the resources of the group, and the kind is not among them: a 404 alone does not say so, because a proxy
 * and another server answer with one too. Every server that Outrigger supports serves webhook configurations.
 *
 * @param error what a call for objects of the kind threw
 */
export async function isAbsentKind(kube: KubeClient, kind: OwnKind, error: unknown): Promise<boolean> {
  if (!isOwnError(error, "cluster-kind-unknown") || kind === "MutatingWebhookConfiguration") return false;
  const served = await kube.get(GROUP_PATH).catch(() => undefined);
  if (served?.["kind"] !== "APIResourceList") return false;
  return !objectsOf(served["resources"]).some(({ name }) => name === PLURALS[kind]);
}
