// What an injection may give to a pod, and what of it guardrails do not admit, in words: the field, and the entry that would allow it.
import type { FieldPath } from "@outrigger/base";
import { formatFieldPath } from "@outrigger/pod";
import type { Power } from "./fields.ts";
import { BOUNDS, LIMITED } from "./parse-guardrails.ts";

/** Kinds whose values are sentences. */
const IN_WORDS: readonly string[] = ["root", "escalation", "writable", "cpu", "memory", "ephemeral-storage"];

/** `capability NET_ADMIN`, `allowPrivilegeEscalation` */
export function powerText({ kind, value }: Power): string {
  if (IN_WORDS.includes(kind)) return value;
  return value === "" ? kind : `${kind} ${value}`;
}

/** Something that was added and may not be. */
export interface Violation {
  /** `spec.containers[1].securityContext.privileged` */
  readonly path: string;
  readonly steps: FieldPath;
  /** `privileged` */
  readonly what: string;
  /** `change it, or add hostPath:/run/agent to the setting guardrails and deploy` */
  readonly remedy: string;
}

/** @param names of the pod: where a value has one of them, the entry has `*`, so that the next pod is admitted as well */
export function violationOf(power: Power, names: readonly string[] = []): Violation {
  const { at, kind } = power;
  const entry = entryOf(kind, power.value, names);
  const remedy = entry === undefined ? "change it" : `change it, or add ${entry} to the setting guardrails and deploy`;
  return { what: powerText(power), remedy, steps: at, path: formatFieldPath(at) };
}

/** The entry that would allow it; undefined where none does. */
function entryOf(kind: string, value: string, names: readonly string[]): string | undefined {
  if (kind === "imageReference" || kind === "imageWithoutDigest") return undefined;
  if (BOUNDS.includes(kind)) return `${kind}:…`;
  if (value === "" || IN_WORDS.includes(kind)) return LIMITED.includes(kind) ? `${kind}:*` : kind;
  const own = names.filter((name) => name.length > 1).reduce((text, name) => text.replaceAll(name, "*"), value);
  const pattern = NAMED.includes(kind) ? own : value;
  if (kind === "image") return `image:${pattern.replace(/(@sha256)?:[\w.-]+$/, "$1:*")}`;
  return `${kind}:${kind === "field" ? pattern.replace(/(ontainers)\[[^\]]*\]/, "$1[*]") : pattern}`.replace(
    /[\s,]+/g,
    "*",
  );
}

/** Kinds whose values may be made of a pod's name. */
const NAMED: readonly string[] = ["audience", "claim", "configMap", "secret", "serviceAccountName"];
