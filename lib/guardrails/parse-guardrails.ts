// The setting `guardrails` as a person writes it: what is wrong with it is said, with the way out. Pure.
import { OutriggerError, suggestName } from "@outrigger/base";
import { LEVELS } from "./levels.ts";
import { type Guardrails, type Mistake, readSetting, SETTABLE } from "./read-guardrails.ts";

/**
 * Reads `baseline,image:registry.example/*,container:agent hostPath:/run/agent`.
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
  return readSetting(text, (part, { why, word }) => {
    const message = `Cannot use guardrails: ${JSON.stringify(part.slice(0, 100))}: ${REMEDIES[why](word)}`;
    throw new OutriggerError("usage", message, { path: "guardrails" });
  });
}

const REMEDIES: Readonly<Record<Mistake["why"], (word: string) => string>> = {
  level: (level) => `begin with one of ${LEVELS.join(", ")}${suggestName(level, LEVELS)}`,
  scope: (word) =>
    `${JSON.stringify(word)} says of no container or image that the entry is for; begin with container:NAME or image:NAME`,
  container: (name) => `write what container ${name || "NAME"} may have behind it, as hostPath:/run/agent`,
  kind: (name) => `"${name}" is not known${suggestName(name, SETTABLE)}`,
  value: (kind) => `write ${kind}: and what is allowed`,
  pod: (words) => {
    const [kind, ...scopes] = words.split(" ");
    return `${kind} is of the whole pod, not of one container; write it without ${scopes.join(" ")}`;
  },
};
