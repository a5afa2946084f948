// The truth table of decide.ts as data, which people are shown. A file of its own, which imports only types: the studio's page shows it
// and loads nothing else of the injector first. decide.test.ts holds the two against each other.

import type { InjectReason, SkipReason } from "../injection.ts";

interface DecisionRow {
  readonly hostNetwork: "yes" | "no";
  readonly namespace: "any" | "system" | "other";
  /** The value of the label sidecar.istio.io/inject or of the config's own, or of the annotation if there is no such label. */
  readonly choice: "any" | "true" | "false" | "none or another";
  readonly selectors: "any" | "never matches" | "always matches" | "none matches";
  readonly policy: "any" | "unknown" | "known" | "enabled" | "disabled";
}

const OTHER = { hostNetwork: "no", namespace: "other" } as const;
const UNDECIDED = { ...OTHER, choice: "none or another" } as const;

/** Reasons that precede or follow the table: a Windows pod, and one that no default template fits. */
export const OTHER_REASONS = ["windows", "no-template"] as const satisfies readonly SkipReason[];

type TabledReason = Exclude<InjectReason | SkipReason, (typeof OTHER_REASONS)[number]>;

/** The row of each reason that the table gives. */
export const DECISION_ROWS: Readonly<Record<TabledReason, DecisionRow>> = {
  "host-network": { hostNetwork: "yes", namespace: "any", choice: "any", selectors: "any", policy: "any" },
  "system-namespace": { hostNetwork: "no", namespace: "system", choice: "any", selectors: "any", policy: "any" },
  "policy-unknown": { ...OTHER, choice: "any", selectors: "any", policy: "unknown" },
  "opted-in": { ...OTHER, choice: "true", selectors: "any", policy: "known" },
  "opted-out": { ...OTHER, choice: "false", selectors: "any", policy: "known" },
  "never-selector": { ...UNDECIDED, selectors: "never matches", policy: "known" },
  "always-selector": { ...UNDECIDED, selectors: "always matches", policy: "known" },
  "policy-enabled": { ...UNDECIDED, selectors: "none matches", policy: "enabled" },
  "policy-disabled": { ...UNDECIDED, selectors: "none matches", policy: "disabled" },
};
