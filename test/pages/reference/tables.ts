// What the reference pages say and the code does not. Names, defaults and values come from the code, and reference.test.ts compares them.
import { readTable } from "../../../tools/support/read-table.ts";

export const {
  roots: ROOTS,
  config: CONFIG,
  metrics: METRICS,
  settings: SETTING_SENTENCES,
} = readTable<Readonly<Record<"roots" | "config" | "metrics" | "settings", Readonly<Record<string, string>>>>>(
  "test/pages/reference/descriptions.yaml",
  "object",
);

/**
 * Matches what looks like a key in the code and is none of a pod's: API groups, images, localities, rules of the API
 * server itself.
 */
export const NOT_KEYS: readonly RegExp[] = [
  // Taints of nodes, and the path of the token of a service account.
  /^node\.kubernetes\.io\/(?:not-ready|unreachable)$/,
  /^kubernetes\.io\/serviceaccount$/,
  /\/v\d/,
  /^(?:sigs\.k8s\.io|registry\.|docs\.|example\.com|client\.authentication|istio\.io\/api)/,
  /^topology\.(?:kubernetes\.io|istio\.io\/subzone)/,
  /^(?:controller\.kubernetes\.io|scheduler\.alpha|seccomp\.security|container\.apparmor)/,
  /^kubernetes\.io\/os$/,
  // Examples of a label of the config's own.
  /^(?:logs|sidecars)\.example\.com\//,
  // Closed by the guardrails: docs/guardrails.md has them.
  /^(?:batch\.kubernetes\.io|(?:eks|iam)\.amazonaws\.com|azure\.workload\.identity)\//,
  /^(?:kubernetes\.io\/config\.source|statefulset\.kubernetes\.io\/pod-name)$/,
  /^(?:docker|gcr)\.io\//,
];
