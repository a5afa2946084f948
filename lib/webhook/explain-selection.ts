// Saying which webhook's selectors and conditions send a pod, and what keeps the others from it. Pure.

import { type JsonObject, metadataKeys, objectsOf } from "@outrigger/base";
import { type LabelSelector, matchesLabelSelector, metadataOf, type Pod, parseLabelSelector } from "@outrigger/pod";
import { matchConditionsOf, unmetCondition } from "./match-conditions.ts";
import { objectKeys } from "./object-keys.ts";
import { selectorsOf, type WebhookSelectors } from "./selectors.ts";
import { parseSettings } from "./settings-annotation.ts";

type Labels = Readonly<Record<string, string>>;

/** A webhook's answer for one pod. */
export interface Selection {
  /** The webhook's configuration and name: `outrigger-sidecar-injector, namespace` */
  readonly title: string;
  /**
   * The labels that the webhook is for: `for namespaces labelled istio-injection`. It is empty for an unknown webhook.
   */
  readonly purpose: string;
  readonly isSent: boolean;
  /** The conditions that do not hold, in words. It is empty if the pod is sent. */
  readonly unmet: readonly string[];
}

/**
 * Says of every webhook whether it gets a pod, and what keeps it from that.
 *
 * @param registered the MutatingWebhookConfigurations of a cluster; or a revision, for the webhooks that registering it makes
 * in the phases `cluster` and `enforce`
 * @param injectionLabel of the release's config, for webhooks of a revision; registered ones have it in their settings
 * @param namespace the pod's; the label with its name, which the API server sets, is added
 * @example
 * ```ts
 * explainSelection("1-30", { name: "shop", labels: {} }, {}).map(({ isSent, unmet }) => [isSent, unmet[0]]) // => [[false, "the namespace has no label istio.io/rev=1-30"], [false, "the pod has no label istio.io/rev=1-30"]]
 * ```
 */
export function explainSelection(
  registered: readonly JsonObject[] | string,
  namespace: { readonly name: string; readonly labels: Labels },
  pod: Pod,
  injectionLabel?: string,
): readonly Selection[] {
  const configurations =
    typeof registered === "string" ? [configurationOf(registered, injectionLabel)] : registered.map(withLabel);
  const labels = { ...namespace.labels, [metadataKeys.namespaceName]: namespace.name };
  return configurations.flatMap(({ metadata, webhooks, label }) =>
    objectsOf(webhooks).map((webhook) => {
      const name = String(webhook["name"]).replace(/\.sidecar-injector\.outrigger$/, "");
      const unmet = [
        ...unmetOf(webhook["namespaceSelector"], labels, "the namespace"),
        ...unmetOf(webhook["objectSelector"], pod.metadata?.labels ?? {}, "the pod"),
        ...objectsOf(webhook["matchConditions"]).flatMap((condition) =>
          unmetCondition(String(condition["name"]), pod, label),
        ),
      ];
      const title = `${metadataOf({ metadata }).name}, ${name}`;
      return { title, purpose: purposeOf(name, label), isSent: unmet.length === 0, unmet };
    }),
  );
}

function configurationOf(revision: string, label: string | undefined) {
  const matchConditions = matchConditionsOf("cluster", label);
  const webhooks = selectorsOf(revision, [], false, label).map((selectors) => ({ ...selectors, matchConditions }));
  return { metadata: { name: `revision ${revision}` }, webhooks, label };
}

function withLabel({ metadata, webhooks }: JsonObject) {
  const label = parseSettings(metadataOf({ metadata }).annotations[objectKeys.settings])?.injectionLabel;
  return { metadata, webhooks, label };
}

const PURPOSES: ReadonlyMap<string, readonly [whose: string, key: string]> = new Map([
  ["rev.namespace", ["namespaces", metadataKeys.revision]],
  ["rev.object", ["pods", metadataKeys.revision]],
  ["namespace", ["namespaces", metadataKeys.injection]],
  ["object", ["pods", metadataKeys.inject]],
] satisfies readonly (readonly [WebhookSelectors["name"], readonly [string, string]])[]);

function purposeOf(name: string, label: string | undefined): string {
  const [whose, key] = PURPOSES.get(name) ?? [];
  if (whose !== undefined) return `for ${whose} labelled ${label ?? key}`;
  return name === "auto" ? "for pods and namespaces without a label" : "";
}

function unmetOf(selector: unknown, labels: Labels, whose: string): readonly string[] {
  const { requirements } = parseLabelSelector(selector, "selector");
  return requirements
    .filter((requirement) => !matchesLabelSelector({ requirements: [requirement] }, labels))
    .map((requirement) => `${whose} ${lackOf(requirement, labels)}`);
}

function lackOf({ key, operator, values }: LabelSelector["requirements"][number], labels: Labels): string {
  const found = Object.hasOwn(labels, key) ? `has ${key}: ${labels[key]}` : `has no label ${key}`;
  if (operator !== "In") return found;
  if (!Object.hasOwn(labels, key)) return `${found}=${values.join("|")}`;
  return values.length === 1 ? `${found}, not ${values[0]}` : `${found}, none of ${values.join(", ")}`;
}
