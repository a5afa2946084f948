// CEL expressions about a pod: whether the policy injects it, and whether it was injected.

import { listOf, memoize, metadataKeys, objectOf } from "@outrigger/base";
import { isEmptySelector, type LabelSelector, type Pod } from "@outrigger/pod";
import type { MatchCondition } from "./match-conditions.ts";
import type { InjectionPolicy } from "./webhook-settings.ts";

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
