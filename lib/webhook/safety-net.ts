// The safety net for a webhook whose failures are ignored: a ValidatingAdmissionPolicy, which the API server evaluates itself, that
// rejects (or warns of) a pod that was to get a sidecar and has none. It knows which pods a release injects, as CEL made from the
// release's own configuration and the decision table of lib/injector/decide; and, as an audit does, by what an injected pod
// is recognized. Pure.

import { type JsonObject, listOf, memoize, metadataKeys, objectOf } from "@outrigger/base";
import { isEmptySelector, type LabelSelector, type Pod } from "@outrigger/pod";
import { configurationName, labelsOf } from "./build-webhook-configuration.ts";
import type { MatchCondition } from "./match-conditions.ts";
import { matchConditionsOf } from "./match-conditions.ts";
import { selectorsOf } from "./selectors.ts";
import { checkWebhookSettings, type InjectionPolicy, type WebhookSettings } from "./webhook-settings.ts";

/** The shipped configuration's: what is assumed where the release cannot be read. */
export const SHIPPED_POLICY: InjectionPolicy = { policy: "enabled", neverInjectSelector: [], alwaysInjectSelector: [] };

/** True of the pods that the release injects: the rows of decide() that selectors and other conditions leave open. */
export function injectedByPolicy(policy: InjectionPolicy): MatchCondition {
  if (policy.policy === "unknown") return { name: NAME, expression: "false" };
  const never = policy.neverInjectSelector.filter((selector) => !isEmptySelector(selector)).map(selectorText);
  const always = policy.alwaysInjectSelector.filter((selector) => !isEmptySelector(selector)).map(selectorText);
  const isChosen = policy.policy === "enabled" ? ["true"] : always;
  const rest = [
    `!${injectIs("false")}`,
    ...never.map((selector) => `!${selector}`),
    `(${isChosen.length === 0 ? "false" : isChosen.join(" || ")})`,
  ];
  return { name: NAME, expression: `${injectIs("true")} || (${rest.join(" && ")})` };
}

const NAME = "injected-by-the-release";

/** The label wins over the annotation, an empty one too: it leaves the decision to the rest. */
function injectIs(value: string): string {
  const label = has("labels", metadataKeys.inject);
  const byLabel = `${valueAt("labels", metadataKeys.inject)} == ${quoted(value)}`;
  const byAnnotation = `${valueAt("annotations", metadataKeys.inject)} == ${quoted(value)}`;
  return `((${label} && ${byLabel}) || (!${label} && ${has("annotations", metadataKeys.inject)} && ${byAnnotation}))`;
}

function selectorText({ requirements }: LabelSelector): string {
  return `(${requirements.map(requirementText).join(" && ")})`;
}

function requirementText({ key, operator, values }: LabelSelector["requirements"][number]): string {
  const isThere = has("labels", key);
  const isIn = `(${isThere} && ${valueAt("labels", key)} in [${values.map(quoted).join(", ")}])`;
  const texts = { In: isIn, NotIn: `!${isIn}`, Exists: isThere, DoesNotExist: `!${isThere}` };
  return texts[operator];
}

function has(field: "labels" | "annotations", key: string): string {
  return `(has(object.metadata) && has(object.metadata.${field}) && ${quoted(key)} in object.metadata.${field})`;
}

function valueAt(field: "labels" | "annotations", key: string): string {
  return `object.metadata.${field}[${quoted(key)}]`;
}

/** Keys and values of labels hold nothing that CEL reads otherwise than JSON does. */
function quoted(text: string): string {
  return JSON.stringify(text);
}

/**
 * True of an injected pod, whatever its templates are: the injection's record names the containers that it added, and the pod
 * has them, with an image. A record without its containers was copied from another pod.
 */
export const IS_INJECTED = (() => {
  const record = valueAt("annotations", metadataKeys.status);
  const exists = (list: string) =>
    `(has(object.spec) && has(object.spec.${list}) && object.spec.${list}.exists(c, '"' + c.name + '"' == n))`;
  const isComplete = (list: string) =>
    `${record}.find('"${list}":\\\\[[^\\\\]]*\\\\]').findAll('"[^"]+"').all(n, n == '"${list}"' || ${exists("containers")} || ${exists("initContainers")})`;
  const isDone =
    '(!has(object.spec) || !has(object.spec.containers) || !object.spec.containers.exists(c, has(c.image) && c.image == "auto"))';
  const isRecorded = has("annotations", metadataKeys.status);
  return [isRecorded, isDone, isComplete("containers"), isComplete("initContainers")].join(" && ");
})();

/**
 * The same of a pod in memory.
 *
 * @example
 * ```ts
 * isInjected({ metadata: { annotations: { "sidecar.istio.io/status": "{}" } }, spec: { containers: [] } }) // => true
 * isInjected({ metadata: {}, spec: { containers: [{ name: "istio-proxy" }] } }) // => false
 * ```
 */
export function isInjected({ metadata, spec }: Pod): boolean {
  const record = metadata?.annotations?.[metadataKeys.status];
  if (record === undefined || spec?.containers?.some(({ image }) => image === "auto") === true) return false;
  const names = new Set([...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].map(({ name }) => name));
  return namesIn(record).every((name) => names.has(name));
}

/** The containers that a record names: most pods of a release have the same. It is any text that a user wrote: what it names may not even become a text. */
const namesIn = memoize((record): readonly string[] => {
  try {
    const { containers, initContainers } = objectOf(JSON.parse(record));
    return [...listOf(containers), ...listOf(initContainers)].map(String);
  } catch {
    return [];
  }
});

/**
 * The policy and its bindings, one for each selector of the revision and of its tags; none where no net is asked for.
 *
 * It judges the pods that the release injects, by the same table as the injector, and recognizes an injected pod by the record of
 * its injection, whatever the templates. After the release's policy or selectors have changed, register again.
 */
export function buildSafetyNet(settings: WebhookSettings) {
  checkWebhookSettings(settings);
  const { revision, tags, safetyNet, namespaces, enableNamespacesByDefault, injection = SHIPPED_POLICY } = settings;
  if (safetyNet === undefined) return [];
  const apiVersion = "admissionregistration.k8s.io/v1";
  const labels = labelsOf(settings);
  const policyName = configurationName(revision);
  const validationActions = [safetyNet === "deny" ? "Deny" : "Warn"];
  const bindings = [revision, ...tags].flatMap((name) =>
    selectorsOf(name, namespaces, enableNamespacesByDefault).map(({ name: selector, ...selectors }) => ({
      apiVersion,
      kind: "ValidatingAdmissionPolicyBinding",
      metadata: { name: bindingName(revision, name, selector), labels },
      spec: { policyName, validationActions, matchResources: { ...EVERYWHERE, ...selectors } } as JsonObject,
    })),
  );
  const metadata = { name: policyName, labels };
  return [{ apiVersion, kind: "ValidatingAdmissionPolicy", metadata, spec: policySpec(injection) }, ...bindings];
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
