// What an injection may give to a pod in words, and the entry of the guardrails that would allow it.

import type { Power } from "./fields.ts";
import { BOUNDS, LIMITED } from "./parse-guardrails.ts";

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
