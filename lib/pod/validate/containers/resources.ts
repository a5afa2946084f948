// What containers ask for: names and amounts of resources, requests against limits, claims of devices.
// Mirrors core/validation's validateResourceRequirements, after requests were set to the limits (SetDefaults_Pod).

import { listOf } from "@outrigger/base";
import type { PodSpec, Quantity, ResourceClaim, ResourceRequirements } from "../../generated/pod-types.ts";
import { isDnsLabel, isQualifiedName, LABEL_FORM, QUALIFIED_FORM } from "../../names.ts";
import {
  compareQuantities,
  isMultipleOf,
  isNegativeQuantity,
  isWholeQuantity,
  quantityText,
} from "../../quantity/quantity.ts";
import { asObject, asText, type Check, isFull, quote, report } from "../check.ts";

export type Amounts = Readonly<Record<string, Quantity>>;

const HUGE_PAGES = "hugepages-";

/** Whose resources: only containers can have extended ones and claims. */
export type ResourceScope = "container" | "pod";

/** core/validation: validateResourceRequirements. */
export function checkResources(resources: ResourceRequirements, check: Check, scope: ResourceScope): void {
  const limits = asObject(resources.limits) as Amounts;
  const requests = asObject(resources.requests) as Amounts;
  checkAmounts(limits, "limits", scope, check);
  checkAmounts(requests, "requests", scope, check);
  checkRequests(requests, limits, check);
  checkHugePages(requests, limits, check);
}

/** core/validation: validateContainerResourceName or validatePodResourceName, and ValidateResourceQuantityValue. */
function checkAmounts(amounts: Amounts, key: string, scope: "container" | "pod", check: Check): void {
  for (const name in amounts) {
    if (isFull(check)) return;
    const message = explainName(name, scope);
    if (message !== undefined) report(check, "invalid", message, key, name);
    const text = quantityText(amounts[name]);
    if (isNegativeQuantity(text)) report(check, "invalid", "must be 0 or more", key, name);
    if (isExtended(name) && !isWholeQuantity(text)) report(check, "invalid", "must be a whole number", key, name);
    if (name.startsWith(HUGE_PAGES) && !isMultipleOf(text, name.slice(HUGE_PAGES.length))) {
      report(check, "invalid", `must be a multiple of ${name.slice(HUGE_PAGES.length)}`, key, name);
    }
  }
}

function explainName(name: string, scope: "container" | "pod"): string | undefined {
  if (name === "cpu" || name === "memory") return undefined;
  if (!isQualifiedName(name)) return `its key ${QUALIFIED_FORM}`;
  if (name.startsWith(HUGE_PAGES) && !name.includes("/")) return undefined;
  if (scope === "pod") return "of a pod as a whole, only cpu, memory and hugepages-SIZE can be set";
  if (name === "ephemeral-storage") return undefined;
  if (!name.includes("/")) {
    return "must be cpu, memory, ephemeral-storage, hugepages-SIZE or a name with a domain, like example.com/gpu";
  }
  if (isNative(name) || isExtended(name)) return undefined;
  return 'must not start with "requests." and, with that prefix, must still be at most 253 characters before the "/"';
}

/** core/helper: IsNativeResource. */
function isNative(name: string): boolean {
  return !name.includes("/") || name.includes("kubernetes.io/");
}

/** core/helper: IsExtendedResourceName, of devices and the like: whole numbers, not overcommitted. */
function isExtended(name: string): boolean {
  return !isNative(name) && !name.startsWith("requests.") && isQualifiedName(`requests.${name}`);
}

/** core/helper: IsOvercommitAllowed. */
function isOvercommitAllowed(name: string): boolean {
  return isNative(name) && !name.startsWith(HUGE_PAGES);
}

function checkRequests(requests: Amounts, limits: Amounts, check: Check): void {
  for (const name in requests) {
    if (isFull(check)) return;
    if (!Object.hasOwn(limits, name) || limits[name] === undefined) {
      if (isOvercommitAllowed(name)) continue;
      report(
        check,
        "required",
        `is required, as requests has ${quote(name)}: it cannot be overcommitted`,
        "limits",
        name,
      );
      continue;
    }
    const order = compareQuantities(quantityText(requests[name]), quantityText(limits[name]));
    if (order > 0) report(check, "invalid", "must not be more than its limit", "requests", name);
    else if (order < 0 && !isOvercommitAllowed(name)) {
      report(check, "invalid", "must be equal to its limit: it cannot be overcommitted", "requests", name);
    }
  }
}

function checkHugePages(requests: Amounts, limits: Amounts, check: Check): void {
  if (!hasHugePages(requests) && !hasHugePages(limits)) return;
  if (hasCpuOrMemory(requests) || hasCpuOrMemory(limits)) return;
  report(check, "forbidden", "must have cpu or memory, as it has huge pages");
}

function hasHugePages(amounts: Amounts): boolean {
  for (const name in amounts) if (name.startsWith(HUGE_PAGES)) return true;
  return false;
}

function hasCpuOrMemory(amounts: Amounts): boolean {
  return amounts["cpu"] !== undefined || amounts["memory"] !== undefined;
}

/** core/validation: validateResourceClaimNames. A claim is used as a whole or by its requests, each once. */
export function checkClaims(resources: ResourceRequirements, check: Check, podClaims: ReadonlySet<string>): void {
  const claims: readonly ResourceClaim[] = listOf(resources.claims);
  if (claims.length === 0) return;
  const seen = new Set<string>();
  const seenParts = new Set<string>();
  for (const [at, claim] of claims.entries()) {
    const { name: givenName, request: givenRequest } = asObject(claim) as Partial<ResourceClaim>;
    const [name, request] = [asText(givenName), asText(givenRequest)];
    if (name === "") {
      report(check, "required", "is required", "claims", at, "name");
      continue;
    }
    if (request !== "" && !isDnsLabel(request)) report(check, "invalid", LABEL_FORM, "claims", at, "request");
    const isUsed = seen.has(name) || (request === "" ? seenParts.has(name) : seen.has(`${name}/${request}`));
    if (isUsed) report(check, "duplicate", `${quote(name)} is used more than once`, "claims", at, "name");
    seen.add(request === "" ? name : `${name}/${request}`);
    if (request !== "") seenParts.add(name);
    if (!podClaims.has(name)) {
      report(check, "not-found", `must name an item of spec.resourceClaims, not ${quote(name)}`, "claims", at, "name");
    }
  }
}

/** core/validation: validateOverhead: what a runtime class adds, checked as limits. */
export function checkOverhead({ overhead }: PodSpec, check: Check): void {
  const amounts = asObject(overhead) as Amounts;
  checkAmounts(amounts, "overhead", "container", check);
  if (hasHugePages(amounts) && !hasCpuOrMemory(amounts)) {
    report(check, "forbidden", "must have cpu or memory, as it has huge pages", "overhead");
  }
}
