// The face of @outrigger/guardrails: what other packages and other people may use. Everything else is internal.
export { type Branches, branchesIn, isCni, otherBranches, powersOf } from "./branch-powers.ts";
export { guardBranches, guardKeys } from "./guard-branches.ts";
export { guardRelease } from "./guard-release.ts";
export { guardedInjection } from "./guarded-injection.ts";
export { injectionPowers } from "./injection-powers.ts";
export { isProxyVariable } from "./judge-proxy.ts";
export { isLimited } from "./kinds.ts";
export { effectOf } from "./levels.ts";
export { parseGuardrails } from "./parse-guardrails.ts";
export { type Power, powerText } from "./power.ts";
export { neededEntries, proposeGuardrails } from "./propose-guardrails.ts";
export { type Guardrails, readGuardrails, unknownEntries } from "./read-guardrails.ts";
