// What guardrails do not admit, in words: the field, what it gives, and the entry that would allow it.
import type { FieldPath } from "@outrigger/base";
import { formatFieldPath } from "@outrigger/pod";
import { BOUNDS, LIMITED } from "./parse-guardrails.ts";
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

/** @param names of the pod: where a value has one of them, the entry has `*`, so that the next pod is admitted as well */
export function violationOf(power: Power, names: readonly string[] = []): Violation {
  const { at, kind } = power;
  return { what: powerText(power), entry: entryOf(kind, power.value, names), steps: at, path: formatFieldPath(at) };
}

function entryOf(kind: string, value: string, names: readonly string[]): string {
  if (BOUNDS.includes(kind)) return `${kind}:…`;
  const own = names.filter((name) => name.length > 1).reduce((text, name) => text.replaceAll(name, "*"), value);
  const pattern = kind === "image" ? value.replace(/(@sha256)?:[\w.-]+$/, "$1:*") : NAMED.includes(kind) ? own : value;
  const general = kind === "field" ? pattern.replace(/(ontainers)\[[^\]]*\]/, "$1[*]") : pattern;
  if (general !== "" && !/[\s,]/.test(general)) return `${kind}:${general}`;
  return LIMITED.includes(kind) ? `${kind}:*` : kind;
}

/** Kinds whose values may be made of a pod's name. */
const NAMED: readonly string[] = ["claim", "configMap", "secret", "serviceAccountName"];
