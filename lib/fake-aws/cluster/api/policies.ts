// What validating admission policies make of a new pod that has been through the webhooks: the policies and bindings that choose it are
// evaluated as a real API server does. A policy with parameters or variables is refused, not guessed at.
import { type JsonObject, listOf, objectOf, objectsOf, textOf } from "@outrigger/base";
import { meetsAll, type NewPod, outcomeOf, type Variables, variablesOf } from "./expressions.ts";
import type { ObjectStore } from "./objects.ts";
import { type Reply, status } from "./reply.ts";
import { isSelected } from "./selected.ts";

/** What becomes of a new pod. */
export interface Judgement {
  /** The answer, where it is not taken. */
  readonly refused?: Reply | undefined;
  /** What the person is told, where it is. */
  readonly warnings?: readonly string[];
}

export function judgeByPolicies({ objects }: Pick<ObjectStore, "objects">, asked: NewPod): Judgement {
  const variables = variablesOf(objects, asked);
  const namespaceObject = objects.get(`/api/v1/namespaces/${asked.namespace}`);
  const all = [...objects.values()];
  const policies = all.filter(({ kind }) => kind === "ValidatingAdmissionPolicy");
  const warnings: string[] = [];
  for (const { metadata, spec } of all.filter(({ kind }) => kind === "ValidatingAdmissionPolicyBinding")) {
    const { policyName, validationActions, matchResources } = objectOf(spec);
    const policy = objectOf(policies.find((one) => objectOf(one["metadata"])["name"] === policyName)?.["spec"]);
    const isAsked = [policy["matchConstraints"], matchResources ?? {}].every((match) =>
      isMatch(match, namespaceObject, asked.pod),
    );
    const failed = isAsked ? failureOf(policy, variables) : undefined;
    if (failed === undefined) continue;
    const by = `ValidatingAdmissionPolicy '${String(policyName)}' with binding '${String(objectOf(metadata)["name"])}'`;
    const actions = listOf(validationActions);
    if (actions.includes("Warn")) warnings.push(`Validation failed for ${by}: ${failed.message}`);
    if (actions.includes("Deny")) return { refused: denial(asked.pod, by, failed) };
  }
  return { warnings };
}

/** Whether `matchConstraints` or `matchResources` choose a new pod. Left out, the latter choose all. */
function isMatch(match: unknown, namespace: JsonObject | undefined, pod: JsonObject): boolean {
  const { resourceRules, excludeResourceRules, ...selectors } = objectOf(match);
  const ofPods = (rules: unknown) =>
    objectsOf(rules).some(
      ({ apiGroups, resources, operations }) =>
        has(apiGroups, "") && has(resources, "pods") && has(operations, "CREATE"),
    );
  const isOfRules = match !== undefined && (resourceRules === undefined || ofPods(resourceRules));
  return isOfRules && !ofPods(excludeResourceRules) && isSelected(selectors, namespace, pod);
}

function has(list: unknown, value: string): boolean {
  return listOf(list).some((one) => one === value || one === "*");
}

interface Failure {
  readonly message: string;
  readonly reason?: string | undefined;
}

/** The first validation of a policy that does not hold; undefined where all do, or its conditions leave the pod out. */
function failureOf(policy: JsonObject, variables: Variables): Failure | undefined {
  const { paramKind, variables: own, failurePolicy, matchConditions, validations } = policy;
  const isIgnored = failurePolicy === "Ignore";
  if (paramKind !== undefined || objectsOf(own).length > 0)
    return isIgnored ? undefined : { message: "this fake evaluates no policy with paramKind or variables" };
  const isChosen = meetsAll(matchConditions, variables);
  if (isChosen === false || (isChosen !== true && isIgnored)) return undefined;
  if (isChosen !== true) return isChosen;
  for (const validation of objectsOf(validations)) {
    const outcome = outcomeOf(validation, variables);
    if (outcome === true || (typeof outcome === "object" && isIgnored)) continue;
    if (typeof outcome === "object") return outcome;
    const { message, expression, reason } = validation;
    return { message: textOf(message) ?? `failed expression: ${String(expression)}`, reason: textOf(reason) };
  }
  return undefined;
}

const CODES: Readonly<Record<string, number>> = { Unauthorized: 401, Forbidden: 403, RequestEntityTooLarge: 413 };

function denial({ metadata }: JsonObject, by: string, { message, reason = "Invalid" }: Failure): Reply {
  const { name, generateName } = objectOf(metadata);
  const said = `${by} denied request: ${message}`;
  const { code, body } = status(
    CODES[reason] ?? 422,
    `pods "${String(name ?? generateName)}" is forbidden: ${said}`,
    reason,
  );
  return { code, body: { ...body, details: { name: String(name ?? ""), kind: "pods", causes: [{ message: said }] } } };
}
