// What containers ask for: names and amounts of resources, requests against limits, claims of devices.
// Mirrors core/validation's validateResourceRequirements, after requests were set to the limits (SetDefaults_Pod).

import { listOf } from "@outrigger/base";
import type { Quantity, ResourceClaim, ResourceRequirements } from "../../generated/pod-types.ts";
import { DNS_LABEL, QUALIFIED_NAME } from "../../names.ts";
import {
  compareQuantities,
  isMultipleOf,
  isNegativeQuantity,
  isWholeQuantity,
  quantityText,
} from "../../quantity/compare-quantities.ts";
import { type Check, invalid, isFull, quote, report } from "../check.ts";
import { asObject, asText } from "../go-values.ts";

export type Amounts = Readonly<Record<string, Quantity>>;

export const HUGE_PAGES = "hugepages-";

/**
 * core/validation: validateResourceRequirements.
 *
 * @param scope of a pod as a whole, which cannot have extended resources; otherwise of a container
 */
export function checkResources(resources: ResourceRequirements, check: Check, scope: "pod" | undefined): void {
  const limits = asObject(resources.limits) as Amounts;
  const requests = asObject(resources.requests) as Amounts;
  checkAmounts(limits, "limits", check, scope);
  checkAmounts(requests, "requests", check, scope);
  checkRequests(requests, limits, check);
  checkHugePages([requests, limits], check);
}

/** core/validation: validateContainerResourceName or validatePodResourceName, and ValidateResourceQuantityValue. */
function checkAmounts(amounts: Amounts, key: string, check: Check, scope?: "pod"): void {
  for (const name in amounts) {
    if (isFull(check)) return;
    const message = explainName(name, scope);
    if (message !== undefined) invalid(check, message, key, name);
    const text = quantityText(amounts[name]);
    if (isNegativeQuantity(text)) invalid(check, "must be 0 or more", key, name);
    if (isExtended(name) && !isWholeQuantity(text)) invalid(check, "must be a whole number", key, name);
    if (name.startsWith(HUGE_PAGES) && !isMultipleOf(text, name.slice(HUGE_PAGES.length))) {
      invalid(check, `must be a multiple of ${name.slice(HUGE_PAGES.length)}`, key, name);
    }
  }
}

function explainName(name: string, scope: "pod" | undefined): string | undefined {
  if (name === "cpu" || name === "memory") return undefined;
  if (!QUALIFIED_NAME.has(name)) return `its key ${QUALIFIED_NAME.message}`;
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
  return !isNative(name) && !name.startsWith("requests.") && QUALIFIED_NAME.has(`requests.${name}`);
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
      const message = `is required, as requests has ${quote(name)}: it cannot be overcommitted`;
      report(check, "required", message, "limits", name);
      continue;
    }
    const order = compareQuantities(quantityText(requests[name]), quantityText(limits[name]));
    if (order > 0) invalid(check, "must not be more than its limit", "requests", name);
    else if (order < 0 && !isOvercommitAllowed(name)) {
      invalid(check, "must be equal to its limit: it cannot be overcommitted", "requests", name);
    }
  }
}

function checkHugePages(amounts: readonly Amounts[], check: Check, ...keys: readonly string[]): void {
  if (amounts.some(({ cpu, memory }) => cpu !== undefined || memory !== undefined)) return;
  const hasHugePages = amounts.some((each) => Object.keys(each).some((name) => name.startsWith(HUGE_PAGES)));
  if (hasHugePages) report(check, "forbidden", "must have cpu or memory, as it has huge pages", ...keys);
}

/**
 * core/validation: validateResourceClaimNames. A claim is used as a whole or by its requests, each once.
 *
 * @param context names of the pod's resource claims
 */
export function checkClaims(
  resources: ResourceRequirements,
  check: Check,
  context: { readonly claims: ReadonlySet<string> },
): void {
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
    if (request !== "" && !DNS_LABEL.has(request)) invalid(check, DNS_LABEL.message, "claims", at, "request");
    const part = request === "" ? name : `${name}/${request}`;
    const isUsed = seen.has(name) || seen.has(part) || (request === "" && seenParts.has(name));
    if (isUsed) report(check, "duplicate", `${quote(name)} is used more than once`, "claims", at, "name");
    seen.add(part);
    if (request !== "") seenParts.add(name);
    if (!context.claims.has(name)) {
      report(check, "not-found", `must name an item of spec.resourceClaims, not ${quote(name)}`, "claims", at, "name");
    }
  }
}

/** core/validation: validateOverhead: what a runtime class adds, checked as limits. */
export function checkOverhead(check: Check, overhead: Amounts | null | undefined, key: string): void {
  const amounts = asObject(overhead) as Amounts;
  checkAmounts(amounts, key, check);
  checkHugePages([amounts], check, key);
}
