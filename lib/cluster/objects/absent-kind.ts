// Whether a cluster has no objects of a kind because its version of Kubernetes does not serve the kind. A 404 alone does not say
// so: a proxy and another server answer with one too.
import { isObject, listOf, OutriggerError } from "@outrigger/base";
import type { KubeClient } from "../kube/kube-client.ts";
import { GROUP_PATH, type OwnKind, pathOf } from "./own-kinds.ts";

/**
 * Whether the server lists the resources of the group, and the kind is not among them. Every server that Outrigger supports
 * serves webhook configurations.
 *
 * @param error what a call for objects of the kind threw
 */
export async function isAbsentKind(kube: KubeClient, kind: OwnKind, error: unknown): Promise<boolean> {
  const isUnknown = error instanceof OutriggerError && error.code === "cluster-kind-unknown";
  if (!isUnknown || kind === "MutatingWebhookConfiguration") return false;
  const served = await kube.get(GROUP_PATH).catch(() => undefined);
  if (served?.["kind"] !== "APIResourceList") return false;
  const plural = pathOf(kind).slice(GROUP_PATH.length + 1);
  return !listOf(served["resources"]).some((resource) => isObject(resource) && resource["name"] === plural);
}
