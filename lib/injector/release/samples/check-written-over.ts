// Which of the tree's own templates write a field of the pod that its author may have written too, for every branch. Strategic merge
// lets the template's value win, so the author's is lost: publication says so, and how to leave it to the author.
import {
  entryOf,
  type FieldPath,
  type InjectionKeys,
  injectionKeys,
  isObject,
  type JsonObject,
  type JsonValue,
  jsonEqual,
  unlessOwnError,
  valueAt,
} from "@outrigger/base";
import { admittedForm, formatFieldPath, type Pod, strategicMerge, type TypeSchema } from "@outrigger/pod";
import { typeAt } from "../../decode-pod.ts";
import { injectPod } from "../../inject-pod.ts";
import type { Injector } from "../../injection.ts";
import type { Release } from "../load-release.ts";
import type { SourceTree } from "../source-tree.ts";
import type { TreeFinding } from "../tree-finding.ts";
import { templateBranches, writtenTemplates } from "./branch-coverage.ts";

/**
 * A warning for each line that writes over a field of the pod's spec that its author wrote. A line that leaves the field to a pod
 * that has it, by its condition, has none.
 *
 * @param tree that is being published: lines of the layers below it are not judged
 */
export function writtenOverAuthor(release: Release, injector: Injector, tree: SourceTree): readonly TreeFinding[] {
  const found = new Map<string, TreeFinding>();
  const willing: Injector = { ...injector, config: { ...injector.config, ...WILLING } };
  const names = writtenTemplates(release, Object.keys(tree));
  for (const { template, overlay, locate } of names.length === 0 ? [] : templateBranches(release, injector, names)) {
    const { spec } = overlay;
    for (const steps of isObject(spec) ? fieldsIn(spec, ["spec"]) : []) {
      const place = locate(steps);
      const text = entryOf(tree, place.path);
      const key = `${place.path}:${place.line} ${formatFieldPath(steps)}`;
      if (text === undefined || found.has(key) || !isWrittenOver(willing, template, steps, text)) continue;
      found.set(key, { severity: "warning", ...place, message: messageFor(steps) });
    }
  }
  return [...found.values()];
}

const WILLING = { policy: "enabled", aliases: {}, neverInjectSelector: [], alwaysInjectSelector: [] } as const;

/** Lists that are merged item by item lose nothing of the author's. */
function fieldsIn(value: JsonObject, at: FieldPath): readonly FieldPath[] {
  return Object.entries(value).flatMap(([key, inner]) => {
    const steps = [...at, key];
    if (inner === null || inner === undefined || key.startsWith("$") || MERGED.includes(key)) return [];
    if (key === "sysctls" && jsonEqual(inner, GATEWAY_SYSCTLS)) return [];
    return isObject(inner) ? fieldsIn(inner, steps) : [steps];
  });
}

/** What Istio's gateway writes over an author's: so that it may listen on port 80. No other sysctl is let through. */
const GATEWAY_SYSCTLS: JsonValue = [{ name: "net.ipv4.ip_unprivileged_port_start", value: "0" }];

const MERGED: readonly string[] = [
  ...["containers", "initContainers", "ephemeralContainers", "volumes", "imagePullSecrets", "hostAliases"],
  ...["resourceClaims", "schedulingGates", "topologySpreadConstraints"],
];

/**
 * Whether a pod whose author wrote the field comes out with another value. A branch that a plain pod does not take either is judged by
 * its text: a condition that reads the field leaves it to the author.
 */
function isWrittenOver(injector: Injector, template: string, steps: FieldPath, text: string): boolean {
  const valueIn = (pod: Pod) => valueAt(pod as JsonObject, steps) ?? null;
  const injectedValue = (pod: Pod) => {
    const request = { pod, namespace: "default", parameters: {}, isTrial: true } as const;
    const result = unlessOwnError(() => injectPod(injector, request));
    return result?.injected === true ? valueIn(result.pod) : valueIn(pod);
  };
  const isChanged = (pod: Pod) => !jsonEqual(injectedValue(pod), valueIn(pod));
  if (authorsValues(typeAt(steps)).some((value) => isChanged(askingPod(injector.keys, template, steps, value))))
    return true;
  if (isChanged(askingPod(injector.keys, template))) return false;
  const tags = text.split("{{").slice(1);
  return !tags.some((tag) => (tag.split("}}", 1)[0] ?? "").includes(formatFieldPath(steps.slice(0, 2))));
}

/** Two values of an author's: a template that writes one of them writes over the other. */
function authorsValues(type: TypeSchema | undefined): readonly JsonValue[] {
  switch (type?.kind) {
    case "boolean":
      return [true, false];
    case "int32":
    case "int64":
    case "intOrString":
      return [45, 46];
    case "list":
      return [[type.element?.kind === "object" ? { name: "author", key: "author", operator: "Exists" } : "author"]];
    case "string":
      return ["author"];
    default:
      return [];
  }
}

/** A pod that asks for the template, and has a field of its author's where one is given. */
function askingPod(keys: InjectionKeys, template: string, steps: FieldPath = [], value: JsonValue = {}): Pod {
  const labels = { [keys.inject]: "true" };
  const plain: Pod = {
    metadata: { name: "asking", labels, annotations: { [keys.templates]: template } },
    spec: { containers: [{ name: "app", image: "registry.example/app:1" }] },
  };
  const written = steps.reduceRight<JsonValue>((inner, step) => ({ [step]: inner }), value) as JsonObject;
  return admittedForm(strategicMerge(plain as JsonObject, written) as Pod, { namespace: "default" });
}

function messageFor(steps: FieldPath): string {
  const field = formatFieldPath(steps);
  const plain = askingPod(injectionKeys(), "") as JsonObject;
  const given = valueAt(plain, steps);
  const refused = "and guardrails from baseline up refuse to inject it";
  if (Array.isArray(given)) {
    return `Every pod comes with ${field}: this value takes their place, ${refused}; leave the field to the pod`;
  }
  const holder = valueAt(plain, steps.slice(0, 2)) === undefined ? formatFieldPath(steps.slice(0, 2)) : field;
  const condition = given === undefined ? `{{#unless ${holder}}}` : `{{#if (eq ${field} ${JSON.stringify(given)})}}`;
  return `A pod whose author wrote ${field} gets this value instead, ${refused}: write it behind ${condition}`;
}
