// What each level forbids, as the Pod Security Standards have it.
import { type JsonObject, listOf, objectOf } from "@outrigger/base";
import { type FieldEffect, kindOf } from "./kinds.ts";
import type { Power } from "./power.ts";

/** Pod Security Standards' levels; `off` judges nothing. */
export const LEVELS = ["off", "privileged", "baseline", "restricted"] as const;

export type Level = (typeof LEVELS)[number];

/** The class of publishing of a power that waits for a person, whatever the guardrails; undefined for one that does not. */
export function effectOf(power: Power): FieldEffect | undefined {
  const { kind, effect } = power;
  const { effect: own, isHeld } = kindOf(kind);
  if (own === "none") return undefined;
  if (effect === "identity-used") return effect;
  if (isHeld(power.value, power.at)) return own;
  return isForbidden("baseline", power) ? (effect ?? own) : undefined;
}

/** Whether a level forbids to add a power, to its container or to the pod. */
export function isForbidden(level: Level, { kind, value, isNeeded }: Power): boolean {
  if (level === "off" || level === "privileged" || isNeeded === true) return false;
  const isRestricted = level === "restricted";
  const { forbidden } = kindOf(kind);
  if (typeof forbidden === "function") return forbidden(value, isRestricted);
  return forbidden === "always" || (isRestricted && forbidden === "restricted");
}

/** Returns what a container is not kept from: most containers say nothing. */
export function leftOpen({ securityContext }: JsonObject, pod: JsonObject): readonly Power[] {
  const own = objectOf(securityContext);
  const { runAsUser, runAsNonRoot } = { ...objectOf(pod["securityContext"]), ...own };
  // A kubelet does not start a container with both; the levels refuse the user whatever else is said.
  const isNeverRoot = runAsUser !== 0 && (runAsNonRoot === true || (typeof runAsUser === "number" && runAsUser > 0));
  const isDropped = listOf(objectOf(own["capabilities"])["drop"]).includes("ALL");
  const kept = [
    [isDropped, "escalation", "capabilities that are not dropped"],
    [own["allowPrivilegeEscalation"] === false, "escalation", "allowPrivilegeEscalation"],
    [own["readOnlyRootFilesystem"] === true, "writable", "a root filesystem that can be written"],
    [isNeverRoot, "root", "a user that may be root"],
  ] as const;
  return kept.flatMap(([isKept, kind, value]) => (isKept ? [] : [{ kind, value, at: ["securityContext"] }]));
}
