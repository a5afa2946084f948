// Something that an injection gives a pod and that is not free, and how people read of it and of the entry that admits it. Pure.
import type { FieldPath } from "@outrigger/base";
import { type FieldEffect, type GuardrailKind, kindOf } from "./kinds.ts";

/** Something that a pod or container is given. */
export interface Power {
  readonly kind: GuardrailKind;
  /** `NET_ADMIN`; empty for a kind that has none. */
  readonly value: string;
  /** The path of its field in the injected pod. */
  readonly at: FieldPath;
  readonly container?: string | undefined;
  readonly volume?: string | undefined;
  /** The class of publishing that it is of, where its kind does not say so. */
  readonly effect?: FieldEffect | undefined;
}

/** `capability NET_ADMIN`, `allowPrivilegeEscalation` */
export function powerText({ kind, value }: Pick<Power, "kind" | "value">): string {
  if (kindOf(kind).isSentence) return value;
  return value === "" ? kind : `${kind} ${value}`;
}

/**
 * `change it, or add hostPath:/run/agent to the setting guardrails and deploy`
 *
 * @param power with `*` in its value for what a pod decides, so that the next pod is admitted as well
 */
export function remedyOf({ kind, value }: Pick<Power, "kind" | "value">): string {
  const pattern = kindOf(kind).remedy(value);
  if (pattern === undefined) return "change it";
  return `change it, or add ${pattern === "" ? kind : `${kind}:${pattern}`} to the setting guardrails and deploy`;
}
