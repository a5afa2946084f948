// Injection within guardrails. Nearly every injection is.
import { type JsonObject, OutriggerError, unlessOwnError } from "@outrigger/base";
import { type Injector, type InjectRequest, type InjectResult, injectPod } from "@outrigger/injector";
import { formatFieldPath } from "@outrigger/pod";
import { judgeInjection } from "./judge-injection.ts";
import { type Power, powerText } from "./power.ts";
import { type Guardrails, unknownEntries } from "./read-guardrails.ts";

/**
 * `injectPod`, refusing what the guardrails do not admit: the operator's fault, and never a pod with more power than it may have.
 *
 * @throws OutriggerError `guardrail-violated`, and what injectPod throws
 *
 * @example
 * ```ts
 * typeof guardedInjection({ level: "baseline", allowed: new Map(), scoped: [], unknown: [] }) // => "function"
 * ```
 */
export function guardedInjection(guardrails: Guardrails): (injector: Injector, request: InjectRequest) => InjectResult {
  if (guardrails.level === "off") return injectPod;
  return (injector, request) => {
    const result = injectPod(injector, request);
    if (!result.injected) return result;
    const [power] = judgeInjection(guardrails, result.author as JsonObject, result.pod as JsonObject, injector);
    if (power === undefined) return result;
    const path = formatFieldPath(power.at);
    const unknown = unknownEntries(guardrails)?.message;
    const more = unknown === undefined ? "" : `. ${unknown}`;
    const message = `Cannot inject: the templates add ${powerText(power)} (${path}), which this deployment's guardrails do not admit; change the template, or the setting guardrails with a deploy${more}`;
    // The field, without its value: what is logged names nothing that an author wrote.
    const field = power.at.slice(0, 2).join(".");
    const said = `Cannot inject: the templates add what the guardrails do not admit, in ${field}`;
    throw new OutriggerError("guardrail-violated", message, { path, logged: { message: said, path: field } });
  };
}

/** Returns what the guardrails do not admit of a pod that is injected. */
export function refusedIn(guardrails: Guardrails, injector: Injector, request: InjectRequest): readonly Power[] {
  const refused = unlessOwnError(() => {
    const result = injectPod(injector, request);
    return result.injected
      ? judgeInjection(guardrails, result.author as JsonObject, result.pod as JsonObject, injector)
      : [];
  });
  // A pod that is denied gets nothing.
  return refused ?? [];
}
