// Who a pod and its containers run as, and what they may do.
import { listOf } from "@outrigger/base";
import type { AppArmorProfile, PodSecurityContext, PodSpec, SecurityContext } from "../../generated/pod-types.ts";
import { byteLength, DESCENDING_PATH, DNS_NAME, SYSCTL_NAME } from "../../names.ts";
import { type Check, checkField, invalid, quote, report } from "../check.ts";
import { checkForm, type FieldRules, fields, object, ofForm, oneOf, range, required } from "../fields.ts";
import { asObject, asText, isPresent } from "../go-values.ts";

const MAX_PROFILE_BYTES = 4095;
const MAX_SPEC_BYTES = 64 * 1024;
const MAX_DOMAIN = 256;
const MAX_USER = 104;
const MAX_ID = 2 ** 31 - 1;
const ID = range(0, MAX_ID);

const PROFILE = { type: [required(), oneOf("Localhost", "RuntimeDefault", "Unconfined", "")] };
const NOT_LOCAL = "must not be set unless type is Localhost";

/** The rules that pods and containers have in common. */
const CONTEXT = {
  runAsUser: ID,
  runAsGroup: ID,
  /** core/validation: validateSeccompProfileField. */
  seccompProfile: object(PROFILE, ({ type, localhostProfile }, check) => {
    if (type !== "Localhost") {
      if (isPresent(localhostProfile)) invalid(check, NOT_LOCAL, "localhostProfile");
    } else if (!isPresent(localhostProfile)) {
      report(check, "required", "is required with type: Localhost", "localhostProfile");
    } else checkForm(check, localhostProfile, DESCENDING_PATH, "localhostProfile");
  }),
  /** core/validation: validateWindowsSecurityContextOptions. */
  windowsOptions: object({
    gmsaCredentialSpecName: ofForm(DNS_NAME),
    gmsaCredentialSpec: (check, spec, key) => {
      if (!isPresent(spec) || (spec !== "" && byteLength(asText(spec)) <= MAX_SPEC_BYTES)) return;
      invalid(check, "must be between 1 byte and 64 KiB", key);
    },
    runAsUserName: (check, name, key) => {
      const message = isPresent(name) ? explainUser(asText(name)) : undefined;
      if (message !== undefined) invalid(check, message, key);
    },
  }),
  /** core/validation: ValidateAppArmorProfileField. */
  appArmorProfile: object(PROFILE, checkAppArmor),
} satisfies FieldRules<SecurityContext, unknown>;

/** core/validation: ValidateSecurityContext, of a container; in the context of whether the pod has its host's users. */
export const checkSecurityContext = fields<SecurityContext, boolean>(
  { ...CONTEXT, procMount: oneOf("Default", "Unmasked") },
  ({ procMount, privileged, capabilities, allowPrivilegeEscalation }, check, hostUsers) => {
    if (procMount === "Unmasked" && hostUsers) {
      invalid(check, "must not be Unmasked unless spec.hostUsers is false", "procMount");
    }
    if (allowPrivilegeEscalation !== false) return;
    if (privileged === true) {
      invalid(check, "must not be false when privileged is true", "allowPrivilegeEscalation");
    }
    if (listOf(asObject(capabilities).add).includes("CAP_SYS_ADMIN")) {
      invalid(check, "must not be false with the capability CAP_SYS_ADMIN", "allowPrivilegeEscalation");
    }
  },
);

function checkAppArmor({ type, localhostProfile }: AppArmorProfile, check: Check): void {
  if (type === "RuntimeDefault" || type === "Unconfined") {
    if (isPresent(localhostProfile)) invalid(check, NOT_LOCAL, "localhostProfile");
  } else if (type === "Localhost") {
    const profile = asText(localhostProfile);
    if (profile === "") report(check, "required", "is required with type: Localhost", "localhostProfile");
    else if (isPadded(profile)) invalid(check, "must not start or end with a blank", "localhostProfile");
    if (byteLength(profile) > MAX_PROFILE_BYTES) {
      report(check, "too-long", "must be at most 4095 bytes", "localhostProfile");
    }
  }
}

/** Whether strings.TrimSpace would take something away. */
export function isPadded(text: string): boolean {
  return isSpace(text.charCodeAt(0)) || isSpace(text.charCodeAt(text.length - 1));
}

/** unicode.IsSpace of Go: not the byte order mark, which JavaScript trims too, but the next line, which it does not. */
function isSpace(code: number): boolean {
  if (code <= 32) return code === 32 || (code >= 9 && code <= 13);
  if (code < 0x1680) return code === 0x85 || code === 0xa0;
  return code !== 0xfeff && String.fromCharCode(code).trim() === "";
}

/**
 * core/validation: validatePodSpecSecurityContext. The SELinux change policy MountOption is behind the feature gate
 * SELinuxMount.
 *
 * @param known the spec before the change, or an empty one when its context has changed
 */
export function checkPodSecurity(spec: PodSpec, known: PodSpec, check: Check): void {
  const isBoth = ({ shareProcessNamespace, hostPID }: PodSpec) => shareProcessNamespace === true && hostPID === true;
  if (isBoth(spec) && !isBoth(known)) {
    invalid(check, "must not be true when hostPID is", "shareProcessNamespace");
  }
  if (spec.securityContext === known.securityContext) return;
  checkField(check, "securityContext", spec.securityContext, checkPodContext, spec);
}

const checkPodContext = fields<PodSecurityContext, PodSpec>({
  ...CONTEXT,
  fsGroup: ID,
  supplementalGroups: (check, groups, key) => {
    for (const [at, group] of listOf(groups).entries()) {
      if (typeof group !== "number" || (group >= 0 && group <= MAX_ID)) continue;
      invalid(check, `must be between 0 and ${MAX_ID}`, key, at);
    }
  },
  sysctls: (check, sysctls, _, spec) => checkSysctls(sysctls, spec, check),
  fsGroupChangePolicy: oneOf("OnRootMismatch", "Always"),
  supplementalGroupsPolicy: oneOf("Merge", "Strict"),
  seLinuxChangePolicy: oneOf("Recursive"),
});

/** core/validation: validateSysctls and ValidateHostSysctl. */
function checkSysctls(sysctls: PodSecurityContext["sysctls"], spec: PodSpec, check: Check): void {
  const seen = new Set<string>();
  for (const [at, sysctl] of listOf(sysctls).entries()) {
    const name = asText(asObject(sysctl).name);
    if (name === "") report(check, "required", "is required", "sysctls", at, "name");
    else if (!SYSCTL_NAME.has(name)) invalid(check, SYSCTL_NAME.message, "sysctls", at, "name");
    else if (seen.has(name)) report(check, "duplicate", `${quote(name)} is listed twice`, "sysctls", at, "name");
    seen.add(name);
    const namespace = sysctlNamespace(name);
    if (namespace !== undefined && spec[namespace] === true) {
      invalid(check, `must not be set when ${namespace} is true`, "sysctls", at, "name");
    }
  }
}

/** component-helpers node/util/sysctl: GetNamespace. The first separator says whether dots or slashes part the name. */
function sysctlNamespace(name: string): "hostNetwork" | "hostIPC" | undefined {
  const slash = name.indexOf("/");
  const dot = name.indexOf(".");
  const normal =
    slash !== -1 && (dot === -1 || slash < dot) ? name.replace(/[./]/g, (each) => (each === "/" ? "." : "/")) : name;
  if (normal.startsWith("net.")) return "hostNetwork";
  return normal.startsWith("fs.mqueue.") || IPC_SYSCTLS.has(normal) ? "hostIPC" : undefined;
}

const IPC_SYSCTLS: ReadonlySet<string> = new Set(
  `kernel.sem kernel.shmall kernel.shmmax kernel.shmmni kernel.shm_rmid_forced kernel.shm kernel.msgmax kernel.msgmnb
  kernel.msgmni kernel.msg`.split(/\s+/),
);

function explainUser(name: string): string | undefined {
  if (name === "") return "must not be empty";
  if (hasControlCharacter(name)) return "must not contain control characters";
  const parts = name.split("\\");
  if (parts.length > 2) return "must contain at most one backslash";
  const [user, domain] = [parts.at(-1) ?? "", parts.length === 2 ? parts[0] : undefined];
  if (domain !== undefined && (domain.length >= MAX_DOMAIN || !(NETBIOS.test(domain) || isDnsDomain(domain)))) {
    return "must have a NetBIOS or DNS name before the backslash";
  }
  if (user === "" || user.length > MAX_USER) return "must have a user name of 1 to 104 characters";
  if (/^[. ]+$/.test(user)) return "must not have a user name of periods and blanks only";
  return /["/\\:;|=,+*?<>@[\]]/.test(user) ? 'must not have any of "/\\:;|=,+*?<>@[] in the user name' : undefined;
}

const NETBIOS = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/u;

function hasControlCharacter(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 32 || code === 127) return true;
  }
  return false;
}

function isDnsDomain(domain: string): boolean {
  return domain.split(".").every((label) => /^[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$/.test(label));
}
