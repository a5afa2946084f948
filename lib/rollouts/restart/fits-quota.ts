// Whether a pod that a quota refuses now fits once the pod that it replaces is gone. Pure.
import { entryOf, type JsonObject, objectOf } from "@outrigger/base";
import { isQuantity, podAmounts, quantityThousandths } from "@outrigger/pod";

/** `exceeded quota: NAME, requested: pods=1, used: pods=3, limited: pods=3`: the wording of Kubernetes' quota admission. */
const EXCEEDED = /exceeded quota: [^,]+, requested: (\S+), used: (\S+), limited: (\S+)/;

/**
 * Whether the quota that the message names has space for the pod when another one is gone.
 *
 * @param message of the API server, of the cause `quota`
 * @param gone the spec of the pod that is gone by then
 * @returns false too for a message, a resource or an amount that is not known
 */
export function fitsQuota(message: string, gone: JsonObject): boolean {
  const [, ...lists] = EXCEEDED.exec(message) ?? [];
  const [requested, used, limited] = lists.map(amountsIn);
  if (requested === undefined || used === undefined || limited === undefined) return false;
  return [...requested].every(([resource, amount]) => {
    const [taken, limit] = [used.get(resource), limited.get(resource)];
    return taken !== undefined && limit !== undefined && taken - freedBy(gone, resource) + amount <= limit;
  });
}

/** The amounts of a list by resource; undefined where one of them is not read. */
function amountsIn(list: string): ReadonlyMap<string, bigint> | undefined {
  const pairs = list.split(",").map((pair) => pair.split("=", 2) as [string, string?]);
  if (!pairs.every(([, amount]) => amount !== undefined && isQuantity(amount))) return undefined;
  return new Map(pairs.map(([resource, amount = "0"]) => [resource, quantityThousandths(amount)]));
}

/** What a pod takes of a quota's resource, in thousandths. A quota names requests without a prefix, too. */
function freedBy(spec: JsonObject, resource: string): bigint {
  if (resource === "pods" || resource === "count/pods") return 1000n;
  const [, prefix = "requests", name = ""] = /^(?:(requests|limits)\.)?(.+)$/.exec(resource) ?? [];
  const amount = entryOf(podAmounts(objectOf(spec), prefix === "limits" ? "limits" : "requests"), name);
  return amount === undefined || !isQuantity(amount) ? 0n : quantityThousandths(amount);
}
