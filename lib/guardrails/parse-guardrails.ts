// The setting `guardrails` of a deployment: a level and what is allowed besides, in one line. Pure.
import { OutriggerError, suggestName } from "@outrigger/base";
import { type GuardrailKind, KIND_NAMES, kindOf } from "./kinds.ts";
import { LEVELS, type Level } from "./levels.ts";

/** The limits of what an injection may add to a pod. */
export interface Guardrails {
  readonly level: Level;
  /** Kind → what of it is allowed, as patterns; a kind without a value is all of it. */
  readonly allowed: ReadonlyMap<GuardrailKind, readonly string[]>;
}

/** The kinds that entries may name. */
const SETTABLE = KIND_NAMES.filter((name) => kindOf(name).entry !== "none");

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
  const allowed = new Map<GuardrailKind, readonly string[]>();
  for (const entry of entries) {
    const [name = "", ...rest] = entry.split(":");
    const value = rest.join(":");
    const kind = SETTABLE.find((known) => known === name);
    if (kind === undefined) throw wrong(entry, `"${name}" is not known${suggestName(name, SETTABLE)}`);
    const needsValue = kindOf(kind).entry === "limits" || kindOf(kind).entry === "bounds";
    if (needsValue && value === "") throw wrong(entry, `write ${kind}: and what is allowed`);
    allowed.set(kind, [...(allowed.get(kind) ?? []), value === "" ? "*" : value]);
  }
  return { level, allowed };
}

function wrong(part: string, why: string): OutriggerError {
  return new OutriggerError("usage", `Cannot use guardrails: ${JSON.stringify(part.slice(0, 100))}: ${why}`, {
    path: "guardrails",
  });
}
