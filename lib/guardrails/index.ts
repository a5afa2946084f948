// The face of @outrigger/guardrails: what other packages and other people may use. Everything else is internal.
export type { Power } from "./fields.ts";
export { branchPowers, guardBranches } from "./guard-branches.ts";
export { guardRelease } from "./guard-release.ts";
export { injectionPowers } from "./injection-powers.ts";
export { guardedInjection } from "./judge-injection.ts";
export { effectOf } from "./levels.ts";
export { type Guardrails, LIMITED, parseGuardrails, powerText } from "./parse-guardrails.ts";
