// What the reference pages say and the code does not. Names, defaults and values come from the code, and reference.test.ts compares them.
import type { ErrorCode } from "@outrigger/base";
import { readTable } from "../../support/read-table.ts";

export interface KeyDoc {
  readonly on: "pod annotation" | "pod label" | "namespace label" | "namespace annotation" | "object in the cluster";
  readonly use: "read" | "written" | "read and written";
  readonly meaning: string;
}

const read = <T>(name: string) => readTable<Readonly<T>>(`test/pages/reference/${name}.yaml`);

export const KEYS = read<Record<string, KeyDoc>>("annotation-keys");
export const ERRORS = read<Record<ErrorCode, { readonly cause: string; readonly fix: string }>>("error-codes");
export const {
  roots: ROOTS,
  config: CONFIG,
  metrics: METRICS,
} = read<Record<"roots" | "config" | "metrics", Readonly<Record<string, string>>>>("descriptions");

/** What looks like a key in the code and is none of a pod's: API groups, images, localities, rules of the API server itself. */
export const NOT_KEYS: readonly RegExp[] = [
  /\/v\d/,
  /^(?:sigs\.k8s\.io|registry\.|docs\.|example\.com|client\.authentication|istio\.io\/api)/,
  /^topology\.(?:kubernetes\.io|istio\.io\/subzone)/,
  /^(?:controller\.kubernetes\.io|scheduler\.alpha|seccomp\.security|container\.apparmor)/,
  /^kubernetes\.io\/os$/,
  // Closed by the guardrails: docs/guardrails.md has them.
  /^(?:batch\.kubernetes\.io|(?:eks|iam)\.amazonaws\.com|azure\.workload\.identity)\//,
  /^(?:kubernetes\.io\/config\.source|statefulset\.kubernetes\.io\/pod-name)$/,
  /^(?:docker|gcr)\.io\//,
];
