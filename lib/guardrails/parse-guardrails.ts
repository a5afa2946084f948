// The setting `guardrails` of a deployment: a level and what is allowed besides, in one line; and the entry that would allow what is not.
// What each level forbids, as the Pod Security Standards have it, and what Istio's own containers need all the same. Pure.
import { type JsonObject, listOf, OutriggerError, objectOf, suggestName } from "@outrigger/base";
import type { FieldEffect, Power } from "./fields.ts";

/** Pod Security Standards' levels; `off` judges nothing. */
const LEVELS = ["off", "privileged", "baseline", "restricted"] as const;

type Level = (typeof LEVELS)[number];

/** Capabilities that `baseline` lets a container add. Source: Kubernetes, Pod Security Standards. */
const BASELINE_CAPABILITIES = `AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP
  SETGID SETPCAP SETUID SYS_CHROOT`.split(/\s+/);

/** Sysctls that are of the pod alone. Source: the same. */
const SAFE_SYSCTLS = `kernel.shm_rmid_forced net.ipv4.ip_local_port_range net.ipv4.ip_local_reserved_ports
  net.ipv4.ip_unprivileged_port_start net.ipv4.ping_group_range net.ipv4.tcp_fin_timeout net.ipv4.tcp_keepalive_intvl
  net.ipv4.tcp_keepalive_probes net.ipv4.tcp_keepalive_time net.ipv4.tcp_syncookies`.split(/\s+/);

/** Kinds that no level above `privileged` lets an injection add, whatever the value. */
const NEVER: ReadonlySet<string> = new Set(
  `hostPID hostIPC hostNetwork hostPath hostPort hostProcess privileged procMount unconfined seLinux shareProcessNamespace
  serviceAccountName automountServiceAccountToken claim deletion field host volumeType`.split(/\s+/),
);

/** Audiences of tokens with which a pod is its service account, or its role, elsewhere: of the API server and of AWS. */
const IDENTITY_AUDIENCES = /^$|^(https:\/\/)?kubernetes(\.default(\.svc(\.[\w.-]+)?)?)?$|(^|\.)amazonaws\.com(\.cn)?$/;

const RESTRICTED: readonly string[] = ["root", "escalation"];

/** Kinds that a level forbids, whatever the value or beyond a list, and an entry allows. */
const FORBIDDEN: readonly string[] = [...NEVER, ...RESTRICTED, "sysctl", "capability"];

/** Container → what it needs to capture traffic: `istio-init` sets rules as root, a proxy in TPROXY mode answers for other addresses. */
const OWN_NEEDS: ReadonlyMap<string, readonly string[]> = new Map([
  ["istio-init", ["capability NET_ADMIN", "capability NET_RAW", "root"]],
  ["istio-proxy", ["capability NET_ADMIN"]],
]);

/** The class of publishing of a power that waits for a person, whatever the guardrails; undefined for one that does not. */
export function effectOf(power: Power): FieldEffect | undefined {
  const { kind, effect } = power;
  if (effect === "identity-used" && kind !== "image") return effect;
  if (!isForbidden("baseline", power)) return undefined;
  return effect ?? (kind === "audience" || kind === "claim" ? "identity-used" : "privileges-widened");
}

/** Whether a level forbids to add a power, to its container or to the pod. */
export function isForbidden(level: Level, { kind, value, container = "" }: Power): boolean {
  if (level === "off" || level === "privileged") return false;
  const needs = OWN_NEEDS.get(container) ?? [];
  if (needs.includes(kind) || needs.includes(`${kind} ${value}`)) return false;
  if (kind === "audience") return IDENTITY_AUDIENCES.test(value);
  if (kind === "sysctl") return !SAFE_SYSCTLS.includes(value);
  const isRestricted = level === "restricted";
  if (kind === "capability") return !(isRestricted ? ["NET_BIND_SERVICE"] : BASELINE_CAPABILITIES).includes(value);
  return NEVER.has(kind) || (isRestricted && RESTRICTED.includes(kind));
}

/** What a container is not kept from: most containers say nothing. */
export function leftOpen({ securityContext }: JsonObject, pod: JsonObject): readonly Power[] {
  const own = objectOf(securityContext);
  const { runAsUser, runAsNonRoot } = { ...objectOf(pod["securityContext"]), ...own };
  const isNeverRoot = runAsNonRoot === true || (typeof runAsUser === "number" && runAsUser > 0);
  const isDropped = listOf(objectOf(own["capabilities"])["drop"]).includes("ALL");
  const kept = [
    [isDropped, "escalation", "capabilities that are not dropped"],
    [own["allowPrivilegeEscalation"] === false, "escalation", "allowPrivilegeEscalation"],
    [own["readOnlyRootFilesystem"] === true, "writable", "a root filesystem that can be written"],
    [isNeverRoot, "root", "a user that may be root"],
  ] as const;
  return kept.flatMap(([isKept, kind, value]) => (isKept ? [] : [{ kind, value, at: ["securityContext"] }]));
}

/** What an injection may add to a pod. */
export interface Guardrails {
  readonly level: Level;
  /** Kind → what of it is allowed, as patterns; a kind without a value is all of it. */
  readonly allowed: ReadonlyMap<string, readonly string[]>;
}

/** Kinds that are free until an entry names what is allowed of them. */
export const LIMITED: readonly string[] = ["image", "secret", "configMap", "audience"];

/** Bounds of what the added containers may ask for together. */
export const BOUNDS: readonly string[] = ["cpu", "memory", "ephemeral-storage"];

const KINDS: readonly string[] = [...FORBIDDEN, ...LIMITED, ...BOUNDS, "imageDigest", "boundedAnnotations"];

/**
 * Reads `baseline,image:registry.example/*,hostPath:/run/agent`.
 *
 * @throws OutriggerError `usage` with the part that is wrong
 *
 * @example
 * ```ts
 * parseGuardrails("baseline,image:docker.io/istio/*").level // => "baseline"
 * parseGuardrails("").level // => "off"
 * ```
 */
export function parseGuardrails(text: string): Guardrails {
  const [first = "", ...entries] = text.split(",");
  const level = first === "" ? "off" : LEVELS.find((known) => known === first);
  if (level === undefined) throw wrong(first, `begin with one of ${LEVELS.join(", ")}${suggestName(first, LEVELS)}`);
  const allowed = new Map<string, readonly string[]>();
  for (const entry of entries) {
    const [kind = "", ...rest] = entry.split(":");
    const value = rest.join(":");
    if (!KINDS.includes(kind)) throw wrong(entry, `"${kind}" is not known${suggestName(kind, KINDS)}`);
    if ([...LIMITED, ...BOUNDS].includes(kind) && value === "")
      throw wrong(entry, `write ${kind}: and what is allowed`);
    allowed.set(kind, [...(allowed.get(kind) ?? []), value === "" ? "*" : value]);
  }
  return { level, allowed };
}

function wrong(part: string, why: string): OutriggerError {
  return new OutriggerError("usage", `Cannot use guardrails: ${JSON.stringify(part.slice(0, 100))}: ${why}`, {
    path: "guardrails",
  });
}

/** Whether an entry allows a value. */
export function allows({ allowed }: Guardrails, kind: string, value: string): boolean {
  return (allowed.get(kind) ?? []).some((pattern) => matchesPattern(pattern, value));
}

/** `*` is any text, slashes included. */
export function matchesPattern(pattern: string, value: string): boolean {
  const [start = "", ...parts] = pattern.split("*");
  const end = parts.pop();
  if (end === undefined || !value.startsWith(start)) return pattern === value;
  let at = start.length;
  for (const part of parts) {
    const found = value.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return value.endsWith(end) && at + end.length <= value.length;
}

/** Kinds whose values are sentences. */
const IN_WORDS: readonly string[] = ["root", "escalation", "writable", ...BOUNDS];

/** `capability NET_ADMIN`, `allowPrivilegeEscalation` */
export function powerText({ kind, value }: Pick<Power, "kind" | "value">): string {
  if (IN_WORDS.includes(kind)) return value;
  return value === "" ? kind : `${kind} ${value}`;
}

/**
 * `change it, or add hostPath:/run/agent to the setting guardrails and deploy`
 *
 * @param power with `*` in its value for what a pod decides, so that the next pod is admitted as well
 */
export function remedyOf({ kind, value }: Pick<Power, "kind" | "value">): string {
  if (kind === "imageReference" || kind === "imageWithoutDigest") return "change it";
  let pattern = value.replace(/[\s,]+/g, "*");
  if (BOUNDS.includes(kind)) pattern = "…";
  else if (IN_WORDS.includes(kind)) pattern = "";
  else if (kind === "image") pattern = value.replace(/(@sha256)?:[\w.-]+$/, "$1:*");
  else if (value === "" && LIMITED.includes(kind)) pattern = "*";
  return `change it, or add ${pattern === "" ? kind : `${kind}:${pattern}`} to the setting guardrails and deploy`;
}
