// The resources of a pod as a whole, against those of its containers: core/validation's validatePodResources, after the defaults of
// SetDefaults_Pod.

import { listOf } from "@outrigger/base";
import type { Container, PodSpec } from "../../generated/pod-types.ts";
import { compareQuantities, quantityText, quantityThousandths } from "../../quantity/compare-quantities.ts";
import { type Check, invalid, report } from "../check.ts";
import { asObject, isPresent } from "../go-values.ts";
import { type Amounts, checkResources, HUGE_PAGES } from "./resources.ts";

/** Amounts in thousandths. */
type Sums = ReadonlyMap<string, bigint>;

export function checkPodResources(spec: PodSpec, check: Check): void {
  const { resources } = spec;
  if (!isPresent(resources) || asObject(spec.os).name === "windows") return;
  const given = asObject(resources);
  const givenRequests = asObject(given.requests) as Amounts;
  const hugePages = new Map([...sumOf(spec, "limits")].filter(([name]) => name.startsWith(HUGE_PAGES)));
  const limits = defaultLimits(asObject(given.limits) as Amounts, givenRequests, hugePages);
  const sums = sumOf(spec, "requests");
  const requests = defaultRequests(givenRequests, limits, sums);
  check.steps.push("resources");
  if (isPresent(given.claims)) report(check, "forbidden", "must not be set for a pod as a whole", "claims");
  checkResources({ limits, requests }, check, "pod");
  checkSums(requests, sums, "requests", check);
  checkSums(limits, hugePages, "limits", check);
  check.steps.pop();
  checkContainerLimits(listOf(spec.containers), limits, check);
}

/** core/v1: defaultHugePagePodLimits. Huge pages that only containers have are the pod's. */
function defaultLimits(limits: Amounts, requests: Amounts, sums: Sums): Amounts {
  if (Object.keys(limits).length + Object.keys(requests).length === 0) return limits;
  const defaults = [...sums].filter(([name]) => requests[name] === undefined && limits[name] === undefined);
  return { ...limits, ...Object.fromEntries(defaults.map(asQuantity)) };
}

/** core/v1: defaultPodRequests. They are the containers' or, where these have none, the limits. */
function defaultRequests(requests: Amounts, limits: Amounts, sums: Sums): Amounts {
  if (Object.keys(limits).length === 0) return requests;
  const isCpuOrMemory = (name: string) => name === "cpu" || name === "memory";
  const ofContainers = [...sums].filter(([name]) => isCpuOrMemory(name)).map(asQuantity);
  // component-helpers resource: IsSupportedPodLevelResource.
  const ofLimits = Object.entries(limits).filter(([name]) => isCpuOrMemory(name) || name.startsWith(HUGE_PAGES));
  return { ...Object.fromEntries(ofLimits), ...Object.fromEntries(ofContainers), ...requests };
}

function asQuantity([name, thousandths]: readonly [string, bigint]): readonly [string, string] {
  return [name, `${thousandths}m`];
}

/** core/validation: validatePodResourceConsistency. */
function checkSums(amounts: Amounts, sums: Sums, key: string, check: Check): void {
  for (const name in amounts) {
    const sum = sums.get(name);
    if (sum === undefined || sum <= quantityThousandths(quantityText(amounts[name]))) continue;
    invalid(check, `must be at least the sum of the containers' ${key}`, key, name);
  }
}

/** core/validation: validatePodResourceConsistency. */
function checkContainerLimits(containers: readonly Container[], limits: Amounts, check: Check): void {
  for (const [at, each] of containers.entries()) {
    const own = asObject(asObject(asObject(each).resources).limits) as Amounts;
    for (const name in own) {
      if (limits[name] === undefined) continue;
      if (compareQuantities(quantityText(own[name]), quantityText(limits[name])) <= 0) continue;
      invalid(check, "must not be more than the pod's limit", "containers", at, "resources", "limits", name);
    }
  }
}

/** component-helpers resource: AggregateContainerRequests and AggregateContainerLimits. */
function sumOf(spec: PodSpec, kind: "requests" | "limits"): Sums {
  const total = new Map<string, bigint>();
  for (const container of listOf(spec.containers)) add(total, amountsOf(asObject(container), kind));
  const sidecars = new Map<string, bigint>();
  const starting = new Map<string, bigint>();
  for (const each of listOf(spec.initContainers)) {
    const container = asObject(each);
    const own = amountsOf(container, kind);
    const needed = new Map(sidecars);
    add(needed, own);
    raise(starting, needed);
    if (container.restartPolicy !== "Always") continue;
    add(total, own);
    add(sidecars, own);
  }
  raise(total, starting);
  return total;
}

/** Returns the amounts of a container. Requests that it does not have are its limits. */
function amountsOf(container: Container, kind: "requests" | "limits"): Sums {
  const resources = asObject(container.resources);
  const limits = asObject(resources.limits) as Amounts;
  const amounts = kind === "limits" ? limits : { ...limits, ...asObject(resources.requests) };
  return new Map(
    Object.entries(amounts).map(([name, amount]) => [name, quantityThousandths(quantityText(amount))] as const),
  );
}

function add(total: Map<string, bigint>, amounts: Sums): void {
  for (const [name, amount] of amounts) total.set(name, (total.get(name) ?? 0n) + amount);
}

function raise(total: Map<string, bigint>, amounts: Sums): void {
  for (const [name, amount] of amounts) {
    const known = total.get(name);
    if (known === undefined || amount > known) total.set(name, amount);
  }
}
