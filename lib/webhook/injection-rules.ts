// CEL expressions about a pod: whether the policy injects it, and whether it was injected.

import { listOf, memoize, metadataKeys, objectOf } from "@outrigger/base";
import { isEmptySelector, type LabelSelector, type Pod } from "@outrigger/pod";
import type { MatchCondition } from "./match-conditions.ts";
import type { InjectionPolicy, TemplateMatch } from "./webhook-settings.ts";

/** The policy of the shipped configuration, which is assumed if the release cannot be read. */
export const SHIPPED_POLICY: InjectionPolicy = {
  policy: "enabled",
  neverInjectSelector: [],
  alwaysInjectSelector: [],
  defaultTemplates: [],
};

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
  const expression = `${injectIs("true")} || (${rest.join(" && ")})`;
  const templates = hasTemplate(policy.defaultTemplates);
  return { name: NAME, expression: templates === undefined ? expression : `(${expression}) && ${templates}` };
}

/** CEL for a pod that gets a template: it names some, or a default one fits it. Undefined where every pod gets one. */
function hasTemplate(defaults: InjectionPolicy["defaultTemplates"]): string | undefined {
  const fits = defaults.map((entry) => (typeof entry === "string" ? undefined : matchText(entry.match)));
  if (fits.length === 0 || fits.includes(undefined)) return undefined;
  return `(${[has("annotations", metadataKeys.templates), ...fits].join(" || ")})`;
}

function matchText({ podLabels, namespaces }: TemplateMatch): string {
  return [
    ...(podLabels === undefined ? [] : [selectorText(podLabels)]),
    ...(namespaces === undefined ? [] : [`request.namespace in [${namespaces.map(quoted).join(", ")}]`]),
  ].join(" && ");
}

const NAME = "injected-by-the-release";

/**
 * CEL for a pod that asks for injection with this value. The label wins over the annotation, even if the label is
 * empty: it then leaves the decision to the rest.
 */
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

/** Quotes a text for CEL. The keys and values of labels hold nothing that CEL reads differently from JSON. */
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
 * Whether a pod in memory is injected, by the rule of {@link IS_INJECTED}.
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

/**
 * Returns the names of the containers in a record. It is cached because most pods of a release have the same record. A
 * record is any text that a user wrote, so a name may be a value that cannot even become a text.
 */
const namesIn = memoize((record): readonly string[] => {
  try {
    const { containers, initContainers } = objectOf(JSON.parse(record));
    return [...listOf(containers), ...listOf(initContainers)].map(String);
  } catch {
    return [];
  }
});
