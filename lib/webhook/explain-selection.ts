// Saying which webhook's selectors and conditions send a pod, and what keeps the others from it. Pure.

import { type JsonObject, objectsOf } from "@outrigger/base";
import { labelKeys } from "@outrigger/injector";
import type { Pod } from "@outrigger/pod";
import { matchesLabelSelector, parseLabelSelector, type SelectorRequirement } from "@outrigger/pod";
import { selectorsOf, type WebhookSelectors } from "./selectors.ts";

type Labels = Readonly<Record<string, string>>;

/** A webhook, as far as it chooses pods: of a configuration in a cluster, or of one that would be registered. */
export interface ChoosingWebhook {
  /** `outrigger-sidecar-injector, namespace` */
  readonly title: string;
  /** Which labels it is for, in words: `for namespaces labelled istio-injection`. Empty for a webhook that is not known. */
  readonly purpose: string;
  readonly namespaceSelector: unknown;
  readonly objectSelector: unknown;
  /** Names of its match conditions. */
  readonly conditions: readonly string[];
}

export interface Selection {
  readonly title: string;
  readonly purpose: string;
  readonly isSent: boolean;
  /** What does not hold, in words; empty where the pod is sent. */
  readonly unmet: readonly string[];
}

/**
 * Asks every webhook about a pod.
 *
 * @param namespace its labels; the name's, which the API server sets, included
 */
export function explainSelection(
  webhooks: readonly ChoosingWebhook[],
  namespace: Labels,
  pod: Pod,
): readonly Selection[] {
  return webhooks.map(({ title, purpose, namespaceSelector, objectSelector, conditions }) => {
    const unmet = [
      ...unmetOf(namespaceSelector, namespace, "the namespace"),
      ...unmetOf(objectSelector, pod.metadata?.labels ?? {}, "the pod"),
      ...conditions.flatMap((name) => unmetCondition(name, pod)),
    ];
    return { title, purpose, isSent: unmet.length === 0, unmet };
  });
}

/** The webhooks of a configuration in a cluster. */
export function webhooksOf(name: string, { webhooks }: JsonObject): readonly ChoosingWebhook[] {
  return objectsOf(webhooks).map((webhook) => ({
    title: `${name}, ${shortName(webhook["name"])}`,
    purpose: PURPOSES.get(shortName(webhook["name"])) ?? "",
    namespaceSelector: webhook["namespaceSelector"],
    objectSelector: webhook["objectSelector"],
    conditions: objectsOf(webhook["matchConditions"]).map((condition) => String(condition["name"])),
  }));
}

function shortName(name: unknown): string {
  return String(name).replace(/\.sidecar-injector\.outrigger$/, "");
}

const PURPOSES: ReadonlyMap<string, string> = new Map([
  ["rev.namespace", "for namespaces labelled istio.io/rev"],
  ["rev.object", "for pods labelled istio.io/rev"],
  ["namespace", "for namespaces labelled istio-injection"],
  ["object", "for pods labelled sidecar.istio.io/inject"],
  ["auto", "for pods and namespaces without a label"],
] satisfies readonly (readonly [WebhookSelectors["name"], string])[]);

/** The webhooks that registering a revision makes in the phases `cluster` and `enforce`. */
export function webhooksOfRevision(revision: string): readonly ChoosingWebhook[] {
  return selectorsOf(revision, []).map(({ name, namespaceSelector, objectSelector }) => ({
    title: `revision ${revision}, ${name}`,
    purpose: PURPOSES.get(name) ?? "",
    namespaceSelector,
    objectSelector,
    conditions: ["not-a-mirror-pod", "not-on-the-host-network"],
  }));
}

function unmetOf(selector: unknown, labels: Labels, whose: string): readonly string[] {
  const { requirements } = parseLabelSelector(selector, "selector");
  return requirements
    .filter((requirement) => !matchesLabelSelector({ requirements: [requirement] }, labels))
    .map((requirement) => `${whose} ${lackOf(requirement, labels)}`);
}

function lackOf({ key, operator, values }: SelectorRequirement, labels: Labels): string {
  const found = Object.hasOwn(labels, key) ? `has ${key}: ${labels[key]}` : `has no label ${key}`;
  switch (operator) {
    case "In":
      if (!Object.hasOwn(labels, key)) return `${found}=${values.join("|")}`;
      return values.length === 1 ? `${found}, not ${values[0]}` : `${found}, none of ${values.join(", ")}`;
    case "NotIn":
    case "DoesNotExist":
      return found;
    case "Exists":
      return found;
  }
}

function unmetCondition(name: string, { metadata, spec }: Pod): readonly string[] {
  switch (name) {
    case "dry-run":
      return ["only dry runs are sent (phase audit)"];
    case "not-on-the-host-network":
      return spec?.hostNetwork === true ? ["the pod is on the host's network"] : [];
    case "not-a-mirror-pod":
      return metadata?.annotations?.["kubernetes.io/config.mirror"] === undefined ? [] : ["it is a mirror pod"];
    case "not-opted-out":
      return metadata?.labels?.[labelKeys.inject] === "false" ? ["the pod opts out"] : [];
    default:
      return [];
  }
}
