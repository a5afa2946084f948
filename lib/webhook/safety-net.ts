// The safety net for a webhook whose failures are ignored: a ValidatingAdmissionPolicy, which the API server evaluates itself, that
// rejects (or warns of) a pod that was to get a sidecar and has none. It knows which pods a release injects, as CEL made from the
// release's own configuration and the decision table of lib/injector/decide; and, as an audit does, by what an injected pod
// is recognized. Pure.

import { injectionKeys, type JsonObject } from "@outrigger/base";
import { configurationName, labelsOf } from "./build-webhook-configuration.ts";
import { injectedByPolicy, injectedCondition, SHIPPED_POLICY } from "./injection-rules.ts";
import { matchConditionsOf } from "./match-conditions.ts";
import { selectorsOf } from "./selectors.ts";
import { checkWebhookSettings, type WebhookSettings } from "./webhook-settings.ts";

/**
 * The policy and its bindings, one for each selector of the revision and of its tags; none where no net is asked for.
 *
 * It judges the pods that the release injects, by the same table as the injector, and recognizes an injected pod by the record of
 * its injection, whatever the templates. After the release's policy or selectors have changed, register again.
 */
export function buildSafetyNet(settings: WebhookSettings) {
  checkWebhookSettings(settings);
  const { revision, tags, safetyNet, namespaces, enableNamespacesByDefault, injectionLabel } = settings;
  if (safetyNet === undefined) return [];
  const apiVersion = "admissionregistration.k8s.io/v1";
  const labels = labelsOf(settings);
  const policyName = configurationName(revision);
  const validationActions = [safetyNet === "deny" ? "Deny" : "Warn"];
  const bindings = [revision, ...tags].flatMap((name) =>
    selectorsOf(name, namespaces, enableNamespacesByDefault, injectionLabel).map(
      ({ name: selector, ...selectors }) => ({
        apiVersion,
        kind: "ValidatingAdmissionPolicyBinding",
        metadata: { name: bindingName(revision, name, selector), labels },
        spec: { policyName, validationActions, matchResources: { ...EVERYWHERE, ...selectors } } as JsonObject,
      }),
    ),
  );
  const metadata = { name: policyName, labels };
  return [{ apiVersion, kind: "ValidatingAdmissionPolicy", metadata, spec: policySpec(settings) }, ...bindings];
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

/** The fields that an API server fills in by itself, written out so that an object is read back as it was applied. */
const EVERYWHERE = { matchPolicy: "Equivalent", namespaceSelector: {}, objectSelector: {} } as const;

const policySpec = ({ injectionLabel, injection = SHIPPED_POLICY }: WebhookSettings): JsonObject => ({
  failurePolicy: "Fail",
  matchConstraints: {
    ...EVERYWHERE,
    resourceRules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"], scope: "*" }],
  },
  matchConditions: [
    ...matchConditionsOf("enforce", injectionLabel),
    injectedByPolicy({ ...injection, injectionLabel }),
  ],
  validations: [
    {
      expression: injectedCondition(injectionLabel),
      message: `the pod was not injected: Outrigger was not reached, or did not inject it; label it ${injectionKeys(injectionLabel).inject}: "false" to go without`,
      reason: "Invalid",
    },
  ],
});
