// Which pods the API server's stand-in admits, as its webhooks and safety nets are now: what a model test asks at every moment.
import { type JsonObject, memoize, memoizeObject } from "@outrigger/base";
import { digestOfToken } from "@outrigger/cluster";
import { matchesLabelSelector, parseLabelSelector } from "@outrigger/pod";
import { parseWebhookUrl } from "@outrigger/webhook";
import type { ClusterLab } from "./cluster-lab.ts";

/**
 * Whether an API server lets a pod in that asks for a sidecar, in a namespace without labels or with the revision's.
 *
 * @param isReached whether the control plane reaches the webhook
 */
export function isAdmitted(lab: ClusterLab, revision: string, isReached: boolean): boolean {
  const namespace = { "kubernetes.io/metadata.name": "shop" };
  const pod = revision === "default" ? { "sidecar.istio.io/inject": "true" } : { "istio.io/rev": revision };
  const chooses = ({ namespaceSelector = ALL, objectSelector = ALL }: JsonObject) =>
    matchesLabelSelector(selectorOf(namespaceSelector as JsonObject), namespace) &&
    matchesLabelSelector(selectorOf(objectSelector as JsonObject), pod);
  let isInjected = false;
  for (const webhook of webhooksIn(lab)) {
    const conditions = webhook["matchConditions"] as readonly JsonObject[];
    if (!chooses(webhook) || conditions.some(({ name }) => name === "dry-run")) continue;
    if (isReached && isLive(lab, urlOf(webhook))) isInjected = true;
    else if (webhook["failurePolicy"] === "Fail") return false;
  }
  const rejects = ({ kind, spec }: JsonObject) => {
    const { matchResources, validationActions } = (spec ?? {}) as Record<string, unknown>;
    if (kind !== "ValidatingAdmissionPolicyBinding" || !(validationActions as string[]).includes("Deny")) return false;
    return chooses(matchResources as JsonObject);
  };
  return isInjected || ![...lab.api.objects.values()].some(rejects);
}

const ALL: JsonObject = {};
/** The server's objects are replaced and never changed, and are looked at after every write. */
const selectorOf = memoizeObject((selector: JsonObject) => parseLabelSelector(selector, "a selector"));

/** Every webhook of every configuration. */
export function webhooksIn({ api }: ClusterLab): readonly JsonObject[] {
  return [...api.objects.values()].flatMap(({ webhooks = [] }) => webhooks as JsonObject[]);
}

/** The names of the webhooks whose calls the function would reject. */
export function deadWebhooks(lab: ClusterLab): readonly string[] {
  return webhooksIn(lab)
    .filter((webhook) => !isLive(lab, urlOf(webhook)))
    .map(({ name }) => String(name));
}

/** Returns the objects that can reject a pod: the webhooks and the safety nets. */
export function strictObjects(lab: ClusterLab): readonly string[] {
  const nets = [...lab.api.objects.values()].flatMap(({ spec = {} }) => JSON.stringify(spec));
  const failing = webhooksIn(lab).filter(({ failurePolicy }) => failurePolicy === "Fail");
  return [...failing.map(({ name }) => String(name)), ...nets.filter((spec) => spec.includes('"Deny"'))];
}

function urlOf({ clientConfig }: JsonObject): string {
  return String((clientConfig as JsonObject)["url"]);
}

/** Whether the function answers calls of that URL. */
export function isLive(lab: ClusterLab, url: string): boolean {
  return lab.publisher.digests().includes(digestIn(url));
}

const digestIn = memoize((url: string) => digestOfToken(parseWebhookUrl(url)?.token ?? ""));
