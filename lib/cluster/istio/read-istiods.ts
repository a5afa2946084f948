// Reading Istio of a cluster: its control planes (revision, image, and name for the cluster), and whether its own injector is installed next
// to ours. Reads only.
import { DEFAULT_REVISION, defined, type JsonObject, metadataKeys, objectOf, objectsOf, textOf } from "@outrigger/base";
import { metadataOf } from "@outrigger/pod";
import { configurationName, type WebhookSettings } from "@outrigger/webhook";
import { learn } from "../fact.ts";
import { mayDo } from "../kube/access-review.ts";
import { unlessDenied } from "../kube/kube-answer.ts";
import type { KubeClient } from "../kube/kube-client.ts";
import { pathOf } from "../objects/own-objects.ts";

const API = "/apis/apps/v1";

/**
 * Control planes in the cluster, or in one namespace where listing is not allowed beyond it. What is allowed is asked first: a request
 * that is refused alarms those who watch audit logs.
 *
 * @throws OutriggerError `cluster-denied` where listing is not allowed there either
 */
export async function readIstiods(kube: KubeClient, namespace: string) {
  const attributes = { group: "apps", resource: "deployments", verb: "list" };
  // Who may not even ask has the printed role at best.
  const asked = await learn(() => mayDo(kube, attributes));
  const place = asked.known && asked.value ? "" : `/namespaces/${encodeURIComponent(namespace)}`;
  return istiodsAt(kube, `${API}${place}/deployments`);
}

export async function readIstiodsIfAllowed(kube: KubeClient, namespace: string) {
  const found = await readIstiods(kube, namespace).catch(unlessDenied);
  return found === "denied" ? undefined : found;
}

async function istiodsAt(kube: KubeClient, path: string) {
  const found: { namespace: string; revision: string; image: string; clusterId?: string }[] = [];
  for await (const { metadata, spec } of kube.list(path, { labelSelector: "app=istiod" })) {
    const { namespace, labels } = metadataOf({ metadata });
    const containers = objectsOf(objectOf(objectOf(objectOf(spec)["template"])["spec"])["containers"]);
    const named = containers.flatMap(({ env }) => objectsOf(env)).filter(({ name }) => name === "CLUSTER_ID");
    // Istio's own name for the cluster: proxies that give another one get no certificate.
    const clusterId = named.map(({ value }) => textOf(value)).find((text) => text !== undefined);
    const revision = labels[metadataKeys.revision] ?? DEFAULT_REVISION;
    found.push({ namespace, revision, image: String(containers[0]?.["image"] ?? ""), ...defined({ clusterId }) });
  }
  return found;
}

/** `1.31.2-distroless` of `istio/pilot:1.31.2-distroless`; empty for an image that has no tag. */
export function imageTag(image: string): string {
  return /:([^/:]+)$/.exec(image.replace(/@sha256:.*$/, ""))?.[1] ?? "";
}

/** What webhooks of one injector select. */
type Selected = Pick<WebhookSettings, "revision" | "tags" | "injectionLabel">;

function istioNames({ revision, tags }: Selected): readonly string[] {
  return [undefined, ...tags].map((tag) => configurationName(revision, tag).replace(/^outrigger-/, "istio-"));
}

/**
 * Warnings about other injectors of the same pods: each pod would be injected twice.
 *
 * @param at the object at a path, as it was read
 * @param addsProxy whether the release adds `istio-proxy`: one that does not takes istiod's out, and is no reason to remove istiod's webhook
 */
export function warnOfConflictingWebhooks(
  at: (path: string) => JsonObject | undefined,
  selected: Selected,
  addsProxy = true,
): readonly string[] {
  if (selected.injectionLabel !== undefined) return [];
  const effect = addsProxy
    ? "Outrigger replaces what it injected; remove it before the phase enforce (docs/register.md)"
    : "Outrigger, whose release adds no istio-proxy, takes out what it injected; give the config an injectionLabel of its own, or serve other namespaces with --revision (docs/register.md)";
  const found = istioNames(selected).filter((name) => at(pathOf("MutatingWebhookConfiguration", name)) !== undefined);
  return found.map((name) => `istiod's own ${name} selects the same pods and is called first: ${effect}`);
}
