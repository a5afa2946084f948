// CEL as an API server evaluates it for a new pod: match conditions of webhooks, and what policies say. It knows the pod, its namespace and
// the request, and Kubernetes' functions that find text; no parameters, no `variables` and no authorizer.
import { Environment } from "@marcbachmann/cel-js";
import { isObject, type JsonObject, type JsonValue, memoize, objectOf, objectsOf } from "@outrigger/base";
import type { ObjectStore } from "./objects.ts";

/** A pod that is about to be stored. */
export interface NewPod {
  readonly pod: JsonObject;
  readonly namespace: string;
  readonly isDryRun: boolean;
}

/** What expressions read. */
export type Variables = Readonly<Record<"object" | "request" | "namespaceObject", unknown>>;

/** Why an expression cannot be evaluated. */
interface ExpressionError {
  readonly message: string;
}

/** This fake knows one person, who may do everything. */
const USER: JsonObject = { username: "admin", groups: ["system:masters", "system:authenticated"] };
const KIND = {
  kind: { group: "", version: "v1", kind: "Pod" },
  resource: { group: "", version: "v1", resource: "pods" },
};

export function variablesOf(objects: ObjectStore["objects"], { pod, namespace, isDryRun }: NewPod): Variables {
  const name = objectOf(pod["metadata"])["name"] ?? "";
  const request = { ...KIND, name, namespace, operation: "CREATE", dryRun: isDryRun, userInfo: USER };
  return {
    object: withIntegers(pod),
    request: withIntegers(request),
    namespaceObject: withIntegers(objects.get(`/api/v1/namespaces/${namespace}`)),
  };
}

/** A whole number of JSON is an `int` of CEL, which is a bigint here. */
function withIntegers(value: JsonValue | undefined): unknown {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(withIntegers);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withIntegers(item)]));
}

/** Whether an expression is true, or why it cannot be evaluated. */
export function outcomeOf({ expression }: JsonObject, variables: Variables): boolean | ExpressionError {
  const text = String(expression);
  try {
    return parsed(text)(variables) === true;
  } catch (error) {
    return { message: `expression '${text}' resulted in error: ${(error as Error).message}` };
  }
}

/** Whether all match conditions hold: one that is false decides, whatever is wrong with others. */
export function meetsAll(matchConditions: unknown, variables: Variables): boolean | ExpressionError {
  const outcomes = objectsOf(matchConditions).map((condition) => outcomeOf(condition, variables));
  if (outcomes.includes(false)) return false;
  return outcomes.find((outcome) => typeof outcome === "object") ?? true;
}

const environment = new Environment({ homogeneousAggregateLiterals: false })
  .registerVariable("object", "dyn")
  .registerVariable("request", "dyn")
  .registerVariable("namespaceObject", "dyn")
  .registerFunction("string.find(string): string", (text: string, pattern: string) => findAll(text, pattern)[0] ?? "")
  .registerFunction("string.findAll(string): list<string>", findAll);

// A condition is asked about every pod.
const parsed = memoize((expression: string) => environment.parse(expression));

function findAll(text: string, pattern: string): string[] {
  return text.match(new RegExp(pattern, "gu")) ?? [];
}
