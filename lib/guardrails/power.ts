// Something that an injection gives a pod and that is not free, and how people read of it and of the entry that admits it. Pure.
import type { FieldPath } from "@outrigger/base";
import { type FieldEffect, type GuardrailKind, kindOf } from "./kinds.ts";

/** A container, as entries of the setting name it. */
export interface Holder {
  readonly container: string;
  readonly image: string;
}

/** Something that a pod or container is given. */
export interface Power {
  readonly kind: GuardrailKind;
  /** `NET_ADMIN`; empty for a kind that has none. */
  readonly value: string;
  /** The path of its field in the injected pod. */
  readonly at: FieldPath;
  readonly container?: string | undefined;
  readonly volume?: string | undefined;
  /** The containers that have it: its own, or all that mount its volume; left out for a power of the pod. */
  readonly holders?: readonly Holder[] | undefined;
  /** Whether Istio's own container needs it to do what it is for, which no level forbids. */
  readonly isNeeded?: boolean | undefined;
  /** The word by which an author may ask for it in annotations of Istio's. */
  readonly word?: string | undefined;
  /** The class of publishing that it is of, where its kind does not say so. */
  readonly effect?: FieldEffect | undefined;
}

/** `capability NET_ADMIN`, `allowPrivilegeEscalation` */
export function powerText({ kind, value }: Pick<Power, "kind" | "value">): string {
  if (kindOf(kind).isSentence) return value;
  return value === "" ? kind : `${kind} ${value}`;
}

/**
 * `change it, or add container:agent hostPath:/run/agent to the setting guardrails and deploy`
 *
 * @param power with `*` in its value for what a pod decides, so that the next pod is admitted as well
 */
export function remedyOf(power: Pick<Power, "kind" | "value" | "holders">): string {
  const entries = entriesFor(power);
  return entries === undefined ? "change it" : `change it, or add ${entries} to the setting guardrails and deploy`;
}

/** The narrowest entries of the setting that admit a power; undefined where none does. */
export function entriesFor({
  kind,
  value,
  holders = [],
}: Pick<Power, "kind" | "value" | "holders">): string | undefined {
  const pattern = kindOf(kind).remedy(value);
  if (pattern === undefined) return undefined;
  const entry = pattern === "" ? kind : `${kind}:${pattern}`;
  // A field is named with its container.
  const names = kind === "field" ? [] : holders.map(({ container }) => container);
  if (names.length === 0 || names.some((name) => !/^[\w.-]+$/.test(name))) return entry;
  return [...new Set(names)].map((name) => `container:${name} ${entry}`).join(",");
}
