// What guardrails do not admit, in words: the field, what it gives, and the entry that would allow it.
import type { FieldPath, JsonObject } from "@outrigger/base";
import { formatFieldPath } from "@outrigger/pod";
import { type Power, powerText } from "./powers.ts";

/** Something that was added and may not be. */
export interface Violation {
  /** `spec.containers[1].securityContext.privileged` */
  readonly path: string;
  readonly steps: FieldPath;
  /** `privileged` */
  readonly what: string;
  /** The entry that would allow it: `hostPath:/run/agent`. */
  readonly entry: string;
}

export type Report = (violation: Pick<Violation, "what" | "entry" | "steps">) => void;

/** A container and where it is. */
export interface Place {
  readonly container: JsonObject;
  readonly steps: FieldPath;
}

/** By name, which is unique in a pod. */
export type Places = ReadonlyMap<string, Place>;

/** Collects violations, with the path as a text. */
export function reportInto(found: Violation[]): Report {
  return ({ steps, ...rest }) => void found.push({ ...rest, steps, path: formatFieldPath(steps) });
}

export function violation(power: Power, base: FieldPath): Parameters<Report>[0] {
  const { kind, value, at } = power;
  const entry = value === "" || /[\s,]/.test(value) ? kind : `${kind}:${value}`;
  return { what: powerText(power), entry, steps: [...base, ...at] };
}
