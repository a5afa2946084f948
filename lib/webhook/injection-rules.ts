// CEL expressions about a pod: whether the policy injects it, and whether it was injected.

import { injectionKeys, listOf, memoize, objectOf, recordKeys } from "@outrigger/base";
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
  const { inject, templates: annotation } = injectionKeys(policy.injectionLabel);
  const never = policy.neverInjectSelector.filter((selector) => !isEmptySelector(selector)).map(selectorText);
  const always = policy.alwaysInjectSelector.filter((selector) => !isEmptySelector(selector)).map(selectorText);
  const isChosen = policy.policy === "enabled" ? ["true"] : always;
  const rest = [
    `!${injectIs(inject, "false")}`,
    ...never.map((selector) => `!${selector}`),
    `(${isChosen.length === 0 ? "false" : isChosen.join(" || ")})`,
  ];
  const expression = `${injectIs(inject, "true")} || (${rest.join(" && ")})`;
  const templates = hasTemplate(policy.defaultTemplates, annotation);
  return { name: NAME, expression: templates === undefined ? expression : `(${expression}) && ${templates}` };
}

/** CEL for a pod that gets a template: it names some, or a default one fits it. Undefined where every pod gets one. */
function hasTemplate(defaults: InjectionPolicy["defaultTemplates"], annotation: string): string | undefined {
  const fits = defaults.map((entry) => (typeof entry === "string" ? undefined : matchText(entry.match)));
  if (fits.length === 0 || fits.includes(undefined)) return undefined;
  return `(${[has("annotations", annotation), ...fits].join(" || ")})`;
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
function injectIs(key: string, value: string): string {
  const label = has("labels", key);
  const byLabel = `${valueAt("labels", key)} == ${quoted(value)}`;
  const byAnnotation = `${valueAt("annotations", key)} == ${quoted(value)}`;
  return `((${label} && ${byLabel}) || (!${label} && ${has("annotations", key)} && ${byAnnotation}))`;
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
export function injectedCondition(injectionLabel?: string): string {
  const { status } = injectionKeys(injectionLabel);
  const record = valueAt("annotations", status);
  const exists = (list: string) =>
    `(has(object.spec) && has(object.spec.${list}) && object.spec.${list}.exists(c, '"' + c.name + '"' == n))`;
  const isComplete = (list: string) =>
    `${record}.find('"${list}":\\\\[[^\\\\]]*\\\\]').findAll('"[^"]+"').all(n, n == '"${list}"' || ${exists("containers")} || ${exists("initContainers")})`;
  const isDone =
    '(!has(object.spec) || !has(object.spec.containers) || !object.spec.containers.exists(c, has(c.image) && c.image == "auto"))';
  const isRecorded = has("annotations", status);
  return [isRecorded, isDone, isComplete("containers"), isComplete("initContainers")].join(" && ");
}

/**
 * Whether a pod in memory is injected, by the rule of {@link injectedCondition}; without the config's label, by Outrigger or by Istio.
 *
 * @example
 * ```ts
 * isInjected({ metadata: { annotations: { "sidecar.istio.io/status": "{}" } }, spec: { containers: [] } }) // => true
 * isInjected({ metadata: {}, spec: { containers: [{ name: "istio-proxy" }] } }) // => false
 * ```
 */
export function isInjected({ metadata, spec }: Pod, injectionLabel?: string): boolean {
  const annotations = metadata?.annotations;
  const keys = injectionLabel === undefined ? recordKeys(annotations) : injectionKeys(injectionLabel);
  const record = annotations?.[keys.status];
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
