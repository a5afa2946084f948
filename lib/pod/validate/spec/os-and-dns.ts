// What the operating system of a pod's nodes rules out.
// Mirrors core/validation's validateOS, validateLinux, validateWindows and validateWindowsHostProcessPod.
import { type FieldPath, listOf } from "@outrigger/base";
import type { Container, HostAlias, PodSpec, SecurityContext } from "../../generated/pod-types.ts";
import { DNS_NAME, type Form, UNDERSCORED_DNS_NAME } from "../../names.ts";
import { type Check, invalid, report } from "../check.ts";
import { always, each, fields, items, object, oneOf, required, requireText } from "../fields.ts";
import { asObject, isPresent } from "../go-values.ts";

const LINUX_FIELDS = ["appArmorProfile", "seLinuxOptions", "seccompProfile", "runAsUser", "runAsGroup"] as const;
const LINUX_PRIVILEGES = ["privileged", "allowPrivilegeEscalation", "procMount"] as const;
const LINUX_GROUPS = ["fsGroup", "fsGroupChangePolicy", "supplementalGroups", "supplementalGroupsPolicy"] as const;

/** Fields of security contexts that an operating system has no notion of: those of a pod, and those of its containers. */
const FOREIGN = {
  linux: { ofPod: ["windowsOptions"], ofContainers: ["windowsOptions"] },
  windows: {
    ofPod: [...LINUX_FIELDS, ...LINUX_GROUPS, "seLinuxChangePolicy"],
    ofContainers: [...LINUX_FIELDS, "capabilities", "readOnlyRootFilesystem", ...LINUX_PRIVILEGES],
  },
} as const;

/** Runs over all containers: what is asked is of the pod as a whole. */
export function checkOs(spec: PodSpec, check: Check): void {
  checkHostProcess(spec, check);
  if (!isPresent(spec.os)) return;
  const name = asObject(spec.os).name;
  if (!requireText(check, name, "os")) return;
  if (name !== "windows" && name !== "linux") {
    report(check, "not-supported", "must be linux or windows", "os", "name");
    return;
  }
  const message = `must not be set for a ${name === "windows" ? "Windows" : "Linux"} pod`;
  const forbid = (isSet: boolean, ...keys: FieldPath) => {
    if (isSet) report(check, "forbidden", message, ...keys);
  };
  const { ofPod, ofContainers } = FOREIGN[name];
  const pod = asObject(spec.securityContext);
  for (const key of ofPod) forbid(isPresent(pod[key]), "securityContext", key);
  if (name === "windows") {
    forbid(listOf(pod.sysctls).length > 0, "securityContext", "sysctls");
    // These are set by being there, even when they are false; the next two by being true.
    for (const key of ["hostUsers", "shareProcessNamespace"] as const) forbid(isPresent(spec[key]), key);
    for (const key of ["hostPID", "hostIPC"] as const) forbid(spec[key] === true, key);
    forbid(isPresent(spec.resources), "resources");
  }
  forEachContext(spec, (context, ...keys) => {
    for (const key of ofContainers) forbid(isPresent(context[key]), ...keys, "securityContext", key);
  });
}

/** core/validation: validateWindowsHostProcessPod. All containers run as processes of the host, or none. */
function checkHostProcess(spec: PodSpec, check: Check): void {
  const ofPod = asObject(asObject(spec.securityContext).windowsOptions).hostProcess ?? undefined;
  let [count, hostProcesses] = [0, 0];
  forEachContext(spec, (context, ...keys) => {
    const own = asObject(context.windowsOptions).hostProcess ?? undefined;
    count += 1;
    if (own ?? ofPod) hostProcesses += 1;
    if (own === undefined || ofPod === undefined || own === ofPod) return;
    const path = ["securityContext", "windowsOptions", "hostProcess"];
    invalid(check, "must be as in the pod's securityContext", ...keys, ...path);
  });
  if (hostProcesses === 0) return;
  if (hostProcesses !== count) invalid(check, "must have hostProcess for all containers, as some have it");
  if (spec.hostNetwork !== true) invalid(check, "must be true, as containers have hostProcess", "hostNetwork");
}

function forEachContext(spec: PodSpec, visit: (context: SecurityContext, field: string, at: number) => void): void {
  for (const field of ["initContainers", "containers"] as const) {
    const containers = listOf(spec[field]);
    for (let at = 0; at < containers.length; at++) {
      visit(asObject((asObject(containers[at]) as Container).securityContext), field, at);
    }
  }
}

// Names that a pod resolves and has: DNS settings, entries of its hosts file, addresses.
const MAX_NAMESERVERS = 3;
const MAX_SEARCHES = 32;
const MAX_SEARCH_CHARACTERS = 2048;

/**
 * netutils.ParseIPSloppy, as Kubernetes read addresses up to 1.35: leading zeros and IPv4 within IPv6 are accepted,
 * which the feature gate StrictIPCIDRValidation of 1.36 refuses.
 */
const IP_ADDRESS: Form = {
  has: (text) => (text.includes(":") ? isIpv6(text) : isIpv4(text)),
  message: "must be an IP address, like 10.9.8.7 or 2001:db8::ffff",
};

const SEARCH_DOMAIN: Form = {
  has: (text) => text === "." || UNDERSCORED_DNS_NAME.has(text.endsWith(".") ? text.slice(0, -1) : text),
  message: UNDERSCORED_DNS_NAME.message,
};

const checkDnsFields = fields<PodSpec>({
  dnsPolicy: oneOf("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None", ""),
  /** core/validation: validatePodDNSConfig. */
  dnsConfig: object(
    { nameservers: each(IP_ADDRESS), searches: each(SEARCH_DOMAIN), options: items({ name: required() }) },
    (config, check) => {
      const [nameservers, searches] = [listOf(config.nameservers), listOf(config.searches)];
      if (nameservers.length > MAX_NAMESERVERS) invalid(check, "must be at most 3", "nameservers");
      if (searches.length > MAX_SEARCHES) invalid(check, "must be at most 32", "searches");
      if (searches.join(" ").length <= MAX_SEARCH_CHARACTERS) return;
      invalid(check, "must be at most 2048 characters, together and with a blank between them", "searches");
    },
  ),
});

/** core/validation: validateDNSPolicy. */
export function checkDns(spec: PodSpec, before: PodSpec, check: Check): void {
  const { dnsPolicy, dnsConfig } = spec;
  checkDnsFields(spec, check, undefined, before);
  if (dnsPolicy !== "None" || listOf(asObject(dnsConfig).nameservers).length > 0) return;
  report(check, "required", "must have at least one nameserver with dnsPolicy: None", "dnsConfig", "nameservers");
}

/** core/validation: ValidateHostAliases. */
export const checkHostAlias = fields<HostAlias>({ ip: always(IP_ADDRESS), hostnames: each(DNS_NAME) });

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
