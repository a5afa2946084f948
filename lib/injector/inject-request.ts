// What is asked about one pod, and what is answered.

import type { PatchOperation, Pod } from "@outrigger/pod";
import type { Owner } from "./decode-pod.ts";

/** Settings of the calling cluster; each overrides the release's own. */
export interface ClusterSettings {
  readonly revision?: string;
  readonly network?: string;
  readonly nativeSidecars?: boolean;
}

/** A pod that an injection is asked for, and what the caller knows of it. */
export interface InjectRequest {
  /** The pod of the request. Never changed. */
  readonly pod: Pod;
  /** The namespace of the request: a pod in an AdmissionReview may not name its own. */
  readonly namespace: string;
  /** Environment overrides from the URL path (`/inject/cluster/x/net/y`). */
  readonly parameters: Readonly<Record<string, string>>;
  readonly cluster?: ClusterSettings;
  /** The workload that owns the pod, if the caller knows it (from a manifest); otherwise it is read from the pod. */
  readonly owner?: Owner;
  /** The name of the release, for the pod's record. Left out, the record names none. */
  readonly release?: string;
  /** The caller itself judges whether an API server accepts the injected pod: publishing reports all that is wrong. */
  readonly isTrial?: boolean;
}

/** Why a pod is not injected: the row of the table in decide/decide.ts that decided. */
export type SkipReason =
  | "host-network"
  | "windows"
  | "system-namespace"
  | "opted-out"
  | "policy-unknown"
  | "never-selector"
  | "policy-disabled";

/** Why a pod is injected: the row of the table in decide/decide.ts that decided. */
export type InjectReason = "opted-in" | "always-selector" | "policy-enabled";

/** The injected pod with the patch that makes it, or why the pod is not injected. What fails is thrown. */
export type InjectResult =
  | {
      readonly injected: true;
      readonly reason: InjectReason;
      /** The pod of the request without what an earlier injection added: what the injected one is judged against. */
      readonly author: Pod;
      readonly pod: Pod;
      readonly patch: readonly PatchOperation[];
      /** The patch as JSON text, as it was checked and as it is sent. */
      readonly patchText: string;
      readonly templates: readonly string[];
      readonly warnings: readonly string[];
    }
  | { readonly injected: false; readonly reason: SkipReason; readonly message: string };

/** What a caller needs that only sends the patch on. */
export type InjectAnswer =
  | Omit<Extract<InjectResult, { readonly injected: true }>, "author" | "pod" | "patch">
  | Extract<InjectResult, { readonly injected: false }>;
