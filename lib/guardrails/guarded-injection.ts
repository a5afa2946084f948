// Injection within guardrails: the last of three places that ask, for what no sample reaches.
import { type JsonObject, OutriggerError } from "@outrigger/base";
import { type Injector, type InjectRequest, type InjectResult, injectPod } from "@outrigger/injector";
import { judgeInjection } from "./judge-injection.ts";
import type { Guardrails } from "./parse-guardrails.ts";
import { type Violation, violationOf } from "./violation.ts";

/**
 * `injectPod`, refusing what the guardrails do not admit: the operator's fault, and never a pod with more power than it may have.
 *
 * @throws OutriggerError `guardrail-violated`, and what injectPod throws
 *
 * @example
 * ```ts
 * typeof guardedInjection({ level: "baseline", allowed: new Map() }) // => "function"
 * ```
 */
export function guardedInjection(guardrails: Guardrails): (injector: Injector, request: InjectRequest) => InjectResult {
  if (guardrails.level === "off") return injectPod;
  return (injector, request) => {
    const result = injectPod(injector, request);
    if (!result.injected) return result;
    const [power] = judgeInjection(guardrails, result.author as JsonObject, result.pod as JsonObject);
    if (power !== undefined) throw guardrailError(violationOf(power));
    return result;
  };
}

/** The field, without its value: what is logged names nothing that an author wrote. */
function guardrailError({ path, what, steps }: Violation): OutriggerError {
  const message = `Cannot inject: the templates add ${what} (${path}), which this deployment's guardrails do not admit; change the template, or the setting guardrails with a deploy`;
  const field = steps.slice(0, 2).join(".");
  const logged = {
    message: `Cannot inject: the templates add what the guardrails do not admit, in ${field}`,
    path: field,
  };
  return new OutriggerError("guardrail-violated", message, { path, logged });
}
