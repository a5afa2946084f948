// What each level forbids, as the Pod Security Standards have it, and what Istio's own containers need all the same.
import { type JsonObject, listOf, objectOf } from "@outrigger/base";
import type { FieldEffect, Power } from "./fields.ts";

/** Pod Security Standards' levels; `off` judges nothing. */
export const LEVELS = ["off", "privileged", "baseline", "restricted"] as const;

export type Level = (typeof LEVELS)[number];

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
export const FORBIDDEN: readonly string[] = [...NEVER, ...RESTRICTED, "sysctl", "capability"];

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
