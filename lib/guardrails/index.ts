// The face of @outrigger/guardrails: what other packages and other people may use. Everything else is internal.
export { guardBranches, guardRelease } from "./guard-release.ts";
export { guardedInjection } from "./guarded-injection.ts";
export { type Guardrails, parseGuardrails } from "./parse-guardrails.ts";
export { grantedPowers, leftOpen, type Power, podPowers, powerText } from "./powers.ts";
