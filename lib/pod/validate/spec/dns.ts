// Names that a pod resolves and has: DNS settings, entries of its hosts file, addresses.

import { listOf } from "@outrigger/base";
import type { HostAlias, PodDNSConfig, PodSpec } from "../../generated/pod-types.ts";
import { isDnsSubdomain, isDnsSubdomainWithUnderscore, SUBDOMAIN_FORM } from "../../names.ts";
import { type Check, checkItems, checkOneOf, report } from "../check.ts";
import { asObject, asText, isPresent } from "../zero-values.ts";

const DNS_POLICIES: readonly string[] = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None", ""];
const MAX_NAMESERVERS = 3;
const MAX_SEARCHES = 32;
const MAX_SEARCH_CHARACTERS = 2048;
const IP_FORM = "must be an IP address, like 10.9.8.7 or 2001:db8::ffff";

/** core/validation: validateDNSPolicy and validatePodDNSConfig. */
export function checkDns(spec: PodSpec, before: PodSpec, check: Check): void {
  const { dnsPolicy, dnsConfig } = spec;
  if (dnsPolicy === before.dnsPolicy && dnsConfig === before.dnsConfig) return;
  checkOneOf(check, dnsPolicy, DNS_POLICIES, "dnsPolicy");
  if (dnsPolicy === "None" && listOf(asObject(dnsConfig).nameservers).length === 0) {
    report(check, "required", "must have at least one nameserver with dnsPolicy: None", "dnsConfig", "nameservers");
  }
  if (!isPresent(dnsConfig)) return;
  check.steps.push("dnsConfig");
  checkDnsConfig(asObject(dnsConfig), check);
  check.steps.pop();
}

function checkDnsConfig(config: PodDNSConfig, check: Check): void {
  const [nameservers, searches] = [listOf(config.nameservers), listOf(config.searches)];
  if (nameservers.length > MAX_NAMESERVERS) report(check, "invalid", "must be at most 3", "nameservers");
  for (const [at, address] of nameservers.entries()) {
    if (!isIpAddress(asText(address))) report(check, "invalid", IP_FORM, "nameservers", at);
  }
  if (searches.length > MAX_SEARCHES) report(check, "invalid", "must be at most 32", "searches");
  if (searches.join(" ").length > MAX_SEARCH_CHARACTERS) {
    report(check, "invalid", "must be at most 2048 characters, together and with a blank between them", "searches");
  }
  for (const [at, search] of searches.entries()) {
    const domain = asText(search);
    if (domain === "." || isDnsSubdomainWithUnderscore(domain.endsWith(".") ? domain.slice(0, -1) : domain)) continue;
    report(check, "invalid", `${SUBDOMAIN_FORM}; each part may start with or contain "_"`, "searches", at);
  }
  for (const [at, option] of listOf(config.options).entries()) {
    if (asText(asObject(option).name) === "") report(check, "required", "is required", "options", at, "name");
  }
}

/** core/validation: ValidateHostAliases. */
function checkHostAlias({ ip, hostnames }: HostAlias, check: Check): void {
  if (!isIpAddress(asText(ip))) report(check, "invalid", IP_FORM, "ip");
  for (const [at, name] of listOf(hostnames).entries()) {
    if (!isDnsSubdomain(asText(name))) report(check, "invalid", SUBDOMAIN_FORM, "hostnames", at);
  }
}

export function checkHostAliases(spec: PodSpec, before: PodSpec, check: Check): void {
  checkItems(check, "hostAliases", spec.hostAliases, before.hostAliases, checkHostAlias, undefined);
}

/**
 * netutils.ParseIPSloppy, as Kubernetes read addresses up to 1.35: leading zeros and IPv4 within IPv6 are accepted,
 * which the feature gate StrictIPCIDRValidation of 1.36 refuses.
 */
function isIpAddress(text: string): boolean {
  return text.includes(":") ? isIpv6(text) : isIpv4(text);
}

function isIpv4(text: string): boolean {
  const parts = text.length > 100 ? [] : text.split(".");
  return parts.length === 4 && parts.every((part) => /^\d+$/.test(part) && Number(part) <= 255);
}

function isIpv6(text: string): boolean {
  if (text.length > 100) return false;
  const halves = text.split("::");
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === "" ? [] : half.split(":")));
  const last = groups.at(-1) ?? "";
  const hasIpv4 = last.includes(".");
  if (hasIpv4 && (!isIpv4(last) || text.endsWith("::"))) return false;
  const hexadecimal = hasIpv4 ? groups.slice(0, -1) : groups;
  if (!hexadecimal.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return false;
  const count = hexadecimal.length + (hasIpv4 ? 2 : 0);
  return halves.length === 2 ? count <= 7 : count === 8;
}
