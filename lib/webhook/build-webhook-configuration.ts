// The MutatingWebhookConfigurations of one revision: its own, and one for each of its tags, as Istio has them. Pure:
// the same settings give the same objects, and what is not in the settings is in no object.
import { DEFAULT_REVISION, defined } from "@outrigger/base";
import { matchConditionsOf, selectorsOf } from "./selectors.ts";
import {
  FIELD_MANAGER,
  type MutatingWebhook,
  type MutatingWebhookConfiguration,
  type ObjectMeta,
  ownAnnotations,
  ownLabels,
} from "./webhook-configuration.ts";
import { checkWebhookSettings, failurePolicyOf, formatSettings, type WebhookSettings } from "./webhook-settings.ts";
import { webhookUrl } from "./webhook-url.ts";

/**
 * The configurations for a revision and its tags, the revision's first.
 *
 * @throws OutriggerError `usage` for settings that cannot be
 */
export function buildWebhookConfigurations(settings: WebhookSettings): readonly MutatingWebhookConfiguration[] {
  checkWebhookSettings(settings);
  return [undefined, ...settings.tags].map((tag) => ({
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
    metadata: metadataOf(settings, tag),
    webhooks: webhooksOf(settings, tag),
  }));
}

/** Istio's own names, with ours in front: both can be in one cluster. */
export function configurationName(revision: string, tag?: string): string {
  if (tag !== undefined) return `outrigger-revision-tag-${tag}`;
  return revision === DEFAULT_REVISION ? "outrigger-sidecar-injector" : `outrigger-sidecar-injector-${revision}`;
}

function metadataOf(settings: WebhookSettings, tag: string | undefined): ObjectMeta {
  const { deployment, revision } = settings;
  return {
    name: configurationName(revision, tag),
    labels: defined({
      [ownLabels.managedBy]: FIELD_MANAGER,
      [ownLabels.instance]: deployment,
      [ownLabels.deployment]: deployment,
      [ownLabels.revision]: revision,
      [ownLabels.tag]: tag,
    }),
    annotations: { [ownAnnotations.settings]: formatSettings(settings) },
  };
}

function webhooksOf(settings: WebhookSettings, tag: string | undefined): readonly MutatingWebhook[] {
  const { phase, caBundle, timeoutSeconds } = settings;
  const clientConfig = defined({
    url: webhookUrl(settings),
    caBundle: caBundle === undefined ? undefined : btoa(`${caBundle.trim()}\n`),
  });
  return selectorsOf(tag ?? settings.revision, settings.namespaces, settings.enableNamespacesByDefault).map(
    (selectors) => ({
      // Not `…sidecar-injector.istio.io`: istiod puts its own CA into webhooks of that name.
      name: `${selectors.name}.sidecar-injector.outrigger`,
      clientConfig,
      rules: [
        { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"], scope: "Namespaced" },
      ],
      failurePolicy: failurePolicyOf(settings),
      matchPolicy: "Equivalent",
      namespaceSelector: selectors.namespaceSelector,
      objectSelector: selectors.objectSelector,
      matchConditions: matchConditionsOf(phase),
      sideEffects: "None",
      timeoutSeconds,
      reinvocationPolicy: settings.reinvocationPolicy ?? "IfNeeded",
      admissionReviewVersions: ["v1", "v1beta1"],
    }),
  );
}
