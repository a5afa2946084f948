// Whether quotas have a place for a workload's pods once all of them are new ones. A dry run asks for one pod more next to all that run: it
// knows neither of the places that old pods give back nor of the other pods that a restart makes. Pure.
import { entryOf, type JsonObject, listOf, objectOf, objectsOf } from "@outrigger/base";
import { containersOf, isQuantity, metadataOf, podAmounts, quantityThousandths } from "@outrigger/pod";

interface NextPod {
  readonly spec: JsonObject;
  /** Whether the API server has filled in what its author left out. */
  readonly isAdmitted: boolean;
  /** Whether an old pod goes only once a new one is ready. */
  readonly isAhead: boolean;
}

/**
 * Returns why a quota would stop a restart that replaces pods, or undefined where every quota has a place for all new pods.
 *
 * @param quotas the ResourceQuotas of the namespace
 * @param old the specs of the pods that go
 */
export function fullQuota(
  quotas: readonly JsonObject[],
  old: readonly JsonObject[],
  next: NextPod,
): string | undefined {
  for (const quota of quotas) {
    const found = fullResource(quota, old, next);
    if (found === undefined) continue;
    const pods = old.length === 1 ? "its new pod" : `its ${old.length} new pods`;
    return `the quota ${metadataOf(quota).name} has no place for ${pods}: ${found}`;
  }
  return undefined;
}

/** Whether any quota counts pods, or what they take. */
export function countsPods(quotas: readonly JsonObject[]): boolean {
  return quotas.some((quota) => Object.keys(hardOf(quota)).some(isOfPods));
}

function fullResource(quota: JsonObject, old: readonly JsonObject[], next: NextPod): string | undefined {
  // A scope that is not known counts new pods, and no old ones.
  if (isInScopes(quota, next.spec) === false || old.length === 0) return undefined;
  const { used } = objectOf(quota["status"]);
  for (const [resource, limit] of Object.entries(hardOf(quota))) {
    if (!isOfPods(resource)) continue;
    const text = objectOf(used)[resource];
    const taken = amountOf(text);
    const most = amountOf(limit);
    const each = takenBy(next.spec, resource);
    if (taken === undefined || most === undefined) return `its use of ${resource} is not known`;
    if (!next.isAdmitted && !isStated(next.spec, resource))
      return `its new pods do not say how much ${resource} they take`;
    const freed = old.map((spec) => (isInScopes(quota, spec) === true ? takenBy(spec, resource) : 0n));
    const least = freed.reduce((a, b) => (a < b ? a : b));
    // One that is still there when a new one is made.
    const there = next.isAhead ? least : 0n;
    const first = taken - least + each + there;
    const last = taken - freed.reduce((a, b) => a + b) + BigInt(old.length) * each + there;
    if (each > 0n && (first > most || last > most)) return `${resource} is ${String(text)} of ${String(limit)}`;
  }
  return undefined;
}

function hardOf({ spec, status }: JsonObject): JsonObject {
  return { ...objectOf(objectOf(spec)["hard"]), ...objectOf(objectOf(status)["hard"]) };
}

function amountOf(text: unknown): bigint | undefined {
  return typeof text === "string" && isQuantity(text) ? quantityThousandths(text) : undefined;
}

/** A quota names requests without a prefix, too. */
const OF_PODS =
  /^(pods|count\/pods|(requests\.)?(cpu|memory|ephemeral-storage)|limits\..+|(requests\.)?hugepages-.+|requests\.[^/]+\/.+)$/;

function isOfPods(resource: string): boolean {
  return OF_PODS.test(resource);
}

function partOf(resource: string): readonly [part: "requests" | "limits", name: string] {
  const [, prefix = "requests", name = ""] = /^(?:(requests|limits)\.)?(.+)$/.exec(resource) ?? [];
  return [prefix === "limits" ? "limits" : "requests", name];
}

/** The amount of a quota's resource that a pod takes, in thousandths. */
function takenBy(spec: JsonObject, resource: string): bigint {
  if (resource === "pods" || resource === "count/pods") return 1000n;
  const [part, name] = partOf(resource);
  return amountOf(entryOf(podAmounts(spec, part), name)) ?? 0n;
}

/** Whether every container says itself how much it takes: a LimitRange would fill in what is left out. */
function isStated(spec: JsonObject, resource: string): boolean {
  if (resource === "pods" || resource === "count/pods") return true;
  const [part, name] = partOf(resource);
  return containersOf(spec).every(({ resources }) => objectOf(objectOf(resources)[part])[name] !== undefined);
}

/**
 * Whether a quota counts a pod, by its scopes; undefined for a scope that is not known here.
 *
 * Source: `podMatchesScopeFunc` of Kubernetes' quota evaluator.
 */
function isInScopes(quota: JsonObject, spec: JsonObject): boolean | undefined {
  const { scopes, scopeSelector } = objectOf(quota["spec"]);
  const named = listOf(scopes).map((scopeName) => ({ scopeName, operator: "Exists" }) as JsonObject);
  const all = [...named, ...objectsOf(objectOf(scopeSelector)["matchExpressions"])].map((one) => isInScope(one, spec));
  return all.includes(false) ? false : all.includes(undefined) ? undefined : true;
}

function isInScope({ scopeName, operator, values }: JsonObject, spec: JsonObject): boolean | undefined {
  const { activeDeadlineSeconds, priorityClassName = "" } = spec;
  switch (scopeName) {
    case "BestEffort":
      return isBestEffort(spec);
    case "NotBestEffort":
      return !isBestEffort(spec);
    case "Terminating":
      return activeDeadlineSeconds !== undefined;
    case "NotTerminating":
      return activeDeadlineSeconds === undefined;
    case "PriorityClass": {
      if (operator === "Exists") return priorityClassName !== "";
      if (operator === "DoesNotExist") return priorityClassName === "";
      return listOf(values).includes(priorityClassName) === (operator === "In");
    }
    default:
      return undefined;
  }
}

/** Whether no container of a pod asks for processor or memory. */
function isBestEffort(spec: JsonObject): boolean {
  return (["requests", "limits"] as const).every((part) =>
    ["cpu", "memory"].every((name) => (amountOf(entryOf(podAmounts(spec, part), name)) ?? 0n) === 0n),
  );
}
