// The safety net for a webhook whose failures are ignored: a ValidatingAdmissionPolicy, which the API server evaluates
// itself, that rejects (or warns of) a pod that was to get a sidecar and has none. Pure.

import type { JsonObject } from "@outrigger/base";
import { configurationName } from "./build-webhook-configuration.ts";
import { type InjectionPolicy, IS_INJECTED, injectedByPolicy, SHIPPED_POLICY } from "./injection-rules.ts";
import { matchConditionsOf, selectorsOf } from "./selectors.ts";
import { FIELD_MANAGER, type ObjectMeta, ownLabels, type Selector } from "./webhook-configuration.ts";
import { checkWebhookSettings, type SafetyNet, type WebhookSettings } from "./webhook-settings.ts";

export type SafetyNetPolicy = {
  readonly apiVersion: "admissionregistration.k8s.io/v1";
  readonly kind: "ValidatingAdmissionPolicy";
  readonly metadata: ObjectMeta;
  readonly spec: JsonObject;
};

export type SafetyNetBinding = {
  readonly apiVersion: "admissionregistration.k8s.io/v1";
  readonly kind: "ValidatingAdmissionPolicyBinding";
  readonly metadata: ObjectMeta;
  readonly spec: JsonObject;
};

/**
 * The policy and its bindings, one for each selector of the revision and of its tags; none where no net is asked for.
 *
 * It judges the pods that the release injects, by the same table as the injector, and recognizes an injected pod by the record of
 * its injection, whatever the templates. After the release's policy or selectors have changed, register again.
 */
export function buildSafetyNet(settings: WebhookSettings): readonly (SafetyNetPolicy | SafetyNetBinding)[] {
  checkWebhookSettings(settings);
  const { revision, tags, safetyNet, namespaces } = settings;
  if (safetyNet === undefined) return [];
  const labels = labelsOf(settings);
  const policyName = configurationName(revision);
  const bindings = [revision, ...tags].flatMap((name) =>
    selectorsOf(name, namespaces, settings.enableNamespacesByDefault).map((selectors): SafetyNetBinding => {
      const spec = bindingOf(policyName, safetyNet, selectors.namespaceSelector, selectors.objectSelector);
      return {
        apiVersion: "admissionregistration.k8s.io/v1",
        kind: "ValidatingAdmissionPolicyBinding",
        metadata: { name: bindingName(revision, name, selectors.name), labels },
        spec,
      };
    }),
  );
  const policy: SafetyNetPolicy = {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicy",
    metadata: { name: policyName, labels },
    spec: policySpec(settings.injection ?? SHIPPED_POLICY),
  };
  return [policy, ...bindings];
}

/**
 * The names that bindings of a revision and its tags may have.
 *
 * @example
 * ```ts
 * safetyNetBindingNames("1-30", []) // => ["outrigger-sidecar-injector-1-30-rev-namespace", "outrigger-sidecar-injector-1-30-rev-object"]
 * ```
 */
export function safetyNetBindingNames(revision: string, tags: readonly string[]): readonly string[] {
  return [revision, ...tags].flatMap((name) =>
    selectorsOf(name, [], true).map((selectors) => bindingName(revision, name, selectors.name)),
  );
}

function bindingName(revision: string, name: string, selectors: string): string {
  return `${configurationName(revision)}-${name === revision ? "" : `${name}-`}${selectors.replace(".", "-")}`;
}

/** What an API server fills in by itself, written out: what is read back is then what was applied. */
const EVERYWHERE = { matchPolicy: "Equivalent", namespaceSelector: {}, objectSelector: {} } as const;

const policySpec = (injection: InjectionPolicy): JsonObject => ({
  failurePolicy: "Fail",
  matchConstraints: {
    ...EVERYWHERE,
    resourceRules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"], scope: "*" }],
  },
  matchConditions: [...matchConditionsOf("enforce"), injectedByPolicy(injection)],
  validations: [
    {
      expression: IS_INJECTED,
      message:
        'the pod was not injected: Outrigger was not reached, or did not inject it; label it sidecar.istio.io/inject: "false" to go without',
      reason: "Invalid",
    },
  ],
});

function labelsOf({ deployment, revision }: WebhookSettings): Readonly<Record<string, string>> {
  return {
    [ownLabels.managedBy]: FIELD_MANAGER,
    [ownLabels.instance]: deployment,
    [ownLabels.deployment]: deployment,
    [ownLabels.revision]: revision,
  };
}

function bindingOf(
  policyName: string,
  safetyNet: SafetyNet,
  namespaceSelector: Selector,
  objectSelector: Selector,
): JsonObject {
  return {
    policyName,
    validationActions: [safetyNet === "deny" ? "Deny" : "Warn"],
    matchResources: { ...EVERYWHERE, namespaceSelector, objectSelector },
  };
}
