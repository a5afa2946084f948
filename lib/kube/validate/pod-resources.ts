// The resources of a pod as a whole, against those of its containers.
// Mirrors core/validation's validatePodResources, after the defaults of SetDefaults_Pod.

import type { Container, PodSpec } from "../pod-types.ts";
import { type Check, isPresent, listOf, objectOf, report } from "./check.ts";
import { compareQuantities, quantityNanos, quantityText } from "./quantities.ts";
import { type Amounts, checkResources } from "./resources.ts";

const HUGE_PAGES = "hugepages-";

type Sums = ReadonlyMap<string, bigint>;

export function checkPodResources(spec: PodSpec, check: Check): void {
  const { resources } = spec;
  if (!isPresent(resources) || spec.os?.name === "windows") return;
  check.steps.push("resources");
  if (isPresent(resources.claims)) report(check, "forbidden", "must not be set for a pod as a whole", "claims");
  const given = objectOf(resources);
  const limits = objectOf(given.limits) as Amounts;
  const requests = objectOf(given.requests) as Amounts;
  checkResources({ limits, requests }, check, { scope: "pod", claims: [] });
  checkSums(requests, sumOf(spec, "requests"), "requests", check);
  checkSums(limits, hugePagesOf(sumOf(spec, "limits")), "limits", check);
  checkDefaultedSums(spec, requests, limits, check);
  check.steps.pop();
  checkContainerLimits(spec, limits, check);
}

/** core/validation: validatePodResourceConsistency. */
function checkSums(amounts: Amounts, sums: Sums, key: string, check: Check): void {
  for (const name in amounts) {
    const sum = sums.get(name);
    if (sum === undefined || sum <= quantityNanos(quantityText(amounts[name]))) continue;
    report(check, "invalid", `must be at least the sum of the containers' ${key}`, key, name);
  }
}

/**
 * Requests that the pod does not have are those of its containers or, where these have none, its limits; they must not
 * be more than its limits either: defaultPodRequests. Huge pages likewise: defaultHugePagePodLimits.
 */
function checkDefaultedSums(spec: PodSpec, requests: Amounts, limits: Amounts, check: Check): void {
  for (const [name, sum] of sumOf(spec, "requests")) {
    if (requests[name] !== undefined || limits[name] === undefined) continue;
    if (sum > quantityNanos(quantityText(limits[name]))) {
      report(check, "invalid", "must be at least the sum of the containers' requests", "limits", name);
    }
  }
  const sums = hugePagesOf(sumOf(spec, "limits"));
  for (const name in requests) {
    if (!name.startsWith(HUGE_PAGES) || limits[name] !== undefined || sums.has(name)) continue;
    report(check, "required", "is required: huge pages cannot be overcommitted", "limits", name);
  }
}

function checkContainerLimits(spec: PodSpec, limits: Amounts, check: Check): void {
  for (const [at, each] of listOf(spec.containers).entries()) {
    const own = objectOf(objectOf((objectOf(each) as Container).resources)?.limits) as Amounts;
    for (const name in own) {
      if (limits[name] === undefined) continue;
      if (compareQuantities(quantityText(own[name]), quantityText(limits[name])) <= 0) continue;
      report(check, "invalid", "must not be more than the pod's limit", "containers", at, "resources", "limits", name);
    }
  }
}

function hugePagesOf(sums: Sums): Sums {
  return new Map([...sums].filter(([name]) => name.startsWith(HUGE_PAGES)));
}

/** component-helpers resource: AggregateContainerRequests and AggregateContainerLimits. */
function sumOf(spec: PodSpec, kind: "requests" | "limits"): Sums {
  const total = new Map<string, bigint>();
  for (const container of listOf(spec.containers)) add(total, amountsOf(container, kind));
  const sidecars = new Map<string, bigint>();
  const starting = new Map<string, bigint>();
  for (const container of listOf(spec.initContainers)) {
    const own = amountsOf(container, kind);
    const isSidecar = (objectOf(container) as Container).restartPolicy === "Always";
    if (isSidecar) {
      add(total, own);
      add(sidecars, own);
    }
    const needed = new Map(sidecars);
    if (!isSidecar) add(needed, own);
    for (const [name, amount] of needed) if (amount > (starting.get(name) ?? -1n)) starting.set(name, amount);
  }
  for (const [name, amount] of starting) if (amount > (total.get(name) ?? -1n)) total.set(name, amount);
  return total;
}

/** Requests that a container does not have are its limits. */
function amountsOf(container: Container, kind: "requests" | "limits"): Sums {
  const resources = objectOf((objectOf(container) as Container).resources) ?? {};
  const limits = objectOf(resources.limits) as Amounts;
  const amounts = kind === "limits" ? limits : { ...limits, ...objectOf(resources.requests) };
  return new Map(Object.entries(amounts).map(([name, amount]) => [name, quantityNanos(quantityText(amount))] as const));
}

function add(total: Map<string, bigint>, amounts: Sums): void {
  for (const [name, amount] of amounts) total.set(name, (total.get(name) ?? 0n) + amount);
}
