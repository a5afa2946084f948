// The truth table of decide.ts, as data: people are shown a decision as its row. A pod is judged by its first row that fits.

import type { InjectReason, SkipReason } from "../injection.ts";

export interface DecisionRow {
  readonly hostNetwork: "yes" | "no";
  readonly namespace: "any" | "system" | "other";
  /** The label, or without one the annotation, sidecar.istio.io/inject. */
  readonly choice: "any" | "true" | "false" | "none or another";
  readonly selectors: "any" | "never matches" | "always matches" | "none matches";
  readonly policy: "any" | "unknown" | "known" | "enabled" | "disabled";
}

const OTHER = { hostNetwork: "no", namespace: "other" } as const;
const UNDECIDED = { ...OTHER, choice: "none or another" } as const;

/** Reason → its row; a Windows pod has none. */
export const DECISION_ROWS: Readonly<Record<Exclude<InjectReason | SkipReason, "windows">, DecisionRow>> = {
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
