// The MutatingWebhookConfigurations of one revision: its own, and one for each of its tags, as Istio has them. Pure:
// the same settings give the same objects, and what is not in the settings is in no object.
import { DEFAULT_REVISION, defined } from "@outrigger/base";
import { matchConditionsOf } from "./match-conditions.ts";
import { objectKeys } from "./object-keys.ts";
import { selectorsOf } from "./selectors.ts";
import { formatSettings } from "./settings-annotation.ts";
import { FIELD_MANAGER } from "./webhook-configuration.ts";
import { checkWebhookSettings, failurePolicyOf, type WebhookSettings } from "./webhook-settings.ts";
import { webhookUrl } from "./webhook-url.ts";

/**
 * The configurations for a revision and its tags, the revision's first.
 *
 * @throws OutriggerError `usage` for settings that cannot be
 */
export function buildWebhookConfigurations(settings: WebhookSettings) {
  checkWebhookSettings(settings);
  const annotations = { [objectKeys.settings]: formatSettings(settings) };
  return [undefined, ...settings.tags].map((tag) => ({
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
    metadata: { name: configurationName(settings.revision, tag), labels: labelsOf(settings, tag), annotations },
    webhooks: webhooksOf(settings, tag),
  }));
}

/** Istio's own names, with ours in front: both can be in one cluster. */
export function configurationName(revision: string, tag?: string): string {
  if (tag !== undefined) return `outrigger-revision-tag-${tag}`;
  return revision === DEFAULT_REVISION ? "outrigger-sidecar-injector" : `outrigger-sidecar-injector-${revision}`;
}

/** Returns the labels of the objects of a revision, or of one of its tags. */
export function labelsOf({ deployment, revision }: WebhookSettings, tag?: string) {
  return defined({
    [objectKeys.managedBy]: FIELD_MANAGER,
    [objectKeys.instance]: deployment,
    [objectKeys.deployment]: deployment,
    [objectKeys.revision]: revision,
    [objectKeys.tag]: tag,
  });
}

function webhooksOf(settings: WebhookSettings, tag: string | undefined) {
  const { caBundle, timeoutSeconds, namespaces, enableNamespacesByDefault, injectionLabel } = settings;
  const ca = caBundle === undefined ? undefined : btoa(`${caBundle.trim()}\n`);
  const all = selectorsOf(tag ?? settings.revision, namespaces, enableNamespacesByDefault, injectionLabel);
  return all.map(({ name, ...selectors }) => ({
    // Not `…sidecar-injector.istio.io`: istiod puts its own CA into webhooks of that name.
    name: `${name}.sidecar-injector.outrigger`,
    clientConfig: defined({ url: webhookUrl(settings), caBundle: ca }),
    rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"], scope: "Namespaced" }],
    failurePolicy: failurePolicyOf(settings),
    matchPolicy: "Equivalent",
    ...selectors,
    matchConditions: matchConditionsOf(settings.phase, injectionLabel),
    sideEffects: "None",
    timeoutSeconds,
    reinvocationPolicy: settings.reinvocationPolicy ?? "IfNeeded",
    admissionReviewVersions: ["v1", "v1beta1"],
  }));
}
