// What each level forbids, as the Pod Security Standards have it, and what Istio's own containers need all the same.
import { type JsonObject, listOf, objectOf } from "@outrigger/base";
import { type FieldEffect, kindOf } from "./kinds.ts";
import type { Power } from "./power.ts";

/** Pod Security Standards' levels; `off` judges nothing. */
export const LEVELS = ["off", "privileged", "baseline", "restricted"] as const;

export type Level = (typeof LEVELS)[number];

/** Container → what it needs to capture traffic: `istio-init` sets rules as root, a proxy in TPROXY mode answers for other addresses. */
const OWN_NEEDS: ReadonlyMap<string, readonly string[]> = new Map([
  ["istio-init", ["capability NET_ADMIN", "capability NET_RAW", "root"]],
  ["istio-proxy", ["capability NET_ADMIN"]],
]);

/** The class of publishing of a power that waits for a person, whatever the guardrails; undefined for one that does not. */
export function effectOf(power: Power): FieldEffect | undefined {
  const { kind, effect } = power;
  const { effect: own } = kindOf(kind);
  if (own === "none") return undefined;
  if (effect === "identity-used") return effect;
  return isForbidden("baseline", power) ? (effect ?? own) : undefined;
}

/** Whether a level forbids to add a power, to its container or to the pod. */
export function isForbidden(level: Level, { kind, value, container = "" }: Power): boolean {
  if (level === "off" || level === "privileged") return false;
  const needs = OWN_NEEDS.get(container) ?? [];
  if (needs.includes(kind) || needs.includes(`${kind} ${value}`)) return false;
  const isRestricted = level === "restricted";
  const { forbidden } = kindOf(kind);
  if (typeof forbidden === "function") return forbidden(value, isRestricted);
  return forbidden === "always" || (isRestricted && forbidden === "restricted");
}

/** Returns what a container is not kept from: most containers say nothing. */
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
