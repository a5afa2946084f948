// The setting `guardrails` of a deployment: a level and what is allowed besides, in one line; and the entry that would allow what is not.
// Pure.
import { OutriggerError, suggestName } from "@outrigger/base";
import type { Power } from "./fields.ts";
import { FORBIDDEN, LEVELS, type Level } from "./levels.ts";

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
