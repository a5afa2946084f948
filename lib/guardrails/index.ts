// The face of @outrigger/guardrails: what other packages and other people may use. Everything else is internal.
export { branchPowers, guardBranches } from "./guard-branches.ts";
export { guardRelease } from "./guard-release.ts";
export { guardedInjection } from "./guarded-injection.ts";
export { grantedPowers, injectionPowers } from "./injection-powers.ts";
export { effectOf, leftOpen } from "./levels.ts";
export { type Guardrails, parseGuardrails } from "./parse-guardrails.ts";
export { type Power, powerText } from "./violation.ts";
