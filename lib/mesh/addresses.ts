// Network addresses as text: IP addresses and prefixes, host names, host and port. Follows Go's rules, as the reference
// does: no leading zeros in an IPv4 address, no port without a host.

const DIGITS = /^[0-9]+$/;
const OCTET = /^(?:0|[1-9][0-9]{0,2})$/;
const HEX = /^[0-9a-fA-F]{1,4}$/;
const LABEL = /^[a-zA-Z0-9](?:[-a-zA-Z0-9]*[a-zA-Z0-9])?$/;
const WILDCARD_LABEL =
  /^(?:\*|(?:\*-)?[a-zA-Z0-9](?:[-a-zA-Z0-9]*[a-zA-Z0-9])?|\*[a-zA-Z0-9](?:[-a-zA-Z0-9]*[a-zA-Z0-9])?)$/;
const HOST_PORT = /^(?:\[([^[\]]*)\]|([^:[\]]*)):([^:[\]]*)$/;
const PORT = /^[-+]?[0-9]{1,18}$/;
const MAX_LABEL = 63;
const MAX_NAME = 255;
const MAX_ADDRESS = 64;
const GROUPS = 8;

/** True for what `netip.ParseAddr` reads: an IPv4 or IPv6 address, the latter also with a zone. */
export function isIpAddress(text: string): boolean {
  const zone = text.indexOf("%");
  if (zone === -1) return isIpv4(text) || isIpv6(text);
  return zone < text.length - 1 && isIpv6(text.slice(0, zone));
}

/** True for what `netip.ParsePrefix` reads: `10.0.0.0/8`, `fe80::/10`, host bits and all. */
export function isIpPrefix(text: string): boolean {
  const slash = text.lastIndexOf("/");
  if (slash === -1) return false;
  const address = text.slice(0, slash);
  const bits = text.slice(slash + 1);
  if (bits.length > 3 || !DIGITS.test(bits) || (bits.length > 1 && bits[0] === "0")) return false;
  if (isIpv4(address)) return Number(bits) <= 32;
  return isIpv6(address) && Number(bits) <= 128;
}

/** True for a host name or IP address and a port from 1 to 65535: `istiod.istio-system.svc:15012`. */
export function isHostPort(text: string): boolean {
  const [, bracketed, plain = "", port = ""] = HOST_PORT.exec(text) ?? [];
  const host = bracketed ?? plain;
  return PORT.test(port) && Number(port) >= 1 && Number(port) <= 65535 && (isHostName(host) || isIpAddress(host));
}

/** True for a DNS name of valid labels, with or without a final dot. Its last label must not be a number. */
export function isHostName(text: string): boolean {
  return text.length <= MAX_NAME && hasValidLabels(text);
}

/** True for a host name whose first label may be `*` or begin with it. */
export function isWildcardHostName(text: string): boolean {
  if (text.length === 0 || text.length > MAX_NAME) return false;
  const dot = text.indexOf(".");
  const first = dot === -1 ? text : text.slice(0, dot);
  if (first.length > MAX_LABEL || !WILDCARD_LABEL.test(first)) return false;
  return dot === -1 || hasValidLabels(text.slice(dot + 1));
}

/** True for labels, numbers included, joined by dots, with or without a final dot. */
export function isTrustDomain(text: string): boolean {
  const labels = text.split(".");
  const isLabel = (label: string) => label.length <= MAX_LABEL && LABEL.test(label);
  return labels.every((label, index) => isLabel(label) || (label === "" && index > 0 && index === labels.length - 1));
}

function hasValidLabels(text: string): boolean {
  const last = text.slice(text.lastIndexOf(".") + 1);
  return !DIGITS.test(last) && text !== "" && isTrustDomain(text);
}

function isIpv4(text: string): boolean {
  if (text.length > 15) return false;
  const octets = text.split(".");
  return octets.length === 4 && octets.every((octet) => OCTET.test(octet) && Number(octet) <= 255);
}

function isIpv6(text: string): boolean {
  if (text.length > MAX_ADDRESS || !text.includes(":")) return false;
  const halves = text.split("::");
  if (halves.length > 2) return false;
  const [head = "", tail] = halves;
  if (tail === undefined) return countGroups(head, true) === GROUPS;
  const before = head === "" ? 0 : countGroups(head, false);
  const after = tail === "" ? 0 : countGroups(tail, true);
  return before !== undefined && after !== undefined && before + after < GROUPS;
}

/** The number of 16-bit groups, where an IPv4 address at the end counts as two; undefined if a group is malformed. */
function countGroups(text: string, mayEndInIpv4: boolean): number | undefined {
  const groups = text.split(":");
  let count = 0;
  for (const [index, group] of groups.entries()) {
    if (HEX.test(group)) count += 1;
    else if (mayEndInIpv4 && index === groups.length - 1 && isIpv4(group)) count += 2;
    else return undefined;
  }
  return count;
}
