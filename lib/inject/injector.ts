// What the pipeline is given: a loaded release (the same for every pod) and a request (one pod).

import type { JsonObject } from "../json.ts";
import type { LabelSelector } from "../kube/label-selector.ts";
import type { PatchOperation } from "../kube/patch-operation.ts";
import type { Pod } from "../kube/pod-types.ts";
import type { MeshConfig } from "../mesh/mesh-config.ts";
import type { ProxyConfig } from "../mesh/proxy-config.ts";
import type { ProxyConfigResource } from "../mesh/proxy-config-resources.ts";
import type { TemplateSet } from "../template/load-templates.ts";
import type { Owner } from "./owner.ts";
import type { InjectionStatus } from "./undo/injection-status.ts";

/** How pods are chosen and what they are given: `source/config`, parsed. */
export interface InjectionConfig {
  /** What happens to a pod that no label, annotation or selector decides about. */
  readonly policy: "enabled" | "disabled" | "unknown";
  readonly defaultTemplates: readonly string[];
  /** Alias → template names. Expansion is not recursive. */
  readonly aliases: Readonly<Record<string, readonly string[]>>;
  readonly neverInjectSelector: readonly LabelSelector[];
  readonly alwaysInjectSelector: readonly LabelSelector[];
  /** Annotations that every injected pod is given. */
  readonly injectedAnnotations: Readonly<Record<string, string>>;
  readonly revision: string;
  readonly nativeSidecars: boolean;
  readonly compliancePolicy: string;
  readonly platform: "" | "openshift";
}

/** A loaded release: everything that does not change from pod to pod. */
export interface Injector {
  readonly config: InjectionConfig;
  readonly values: JsonObject;
  readonly meshConfig: MeshConfig;
  readonly proxyConfigs: readonly ProxyConfigResource[];
  /** Namespace → its annotations, where a platform (OpenShift) keeps user ids in them. */
  readonly namespaceAnnotations: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly templates: TemplateSet;
  /** True for a name that some template of the release spells out: a container or volume that may be ours. */
  readonly isInjectable: (name: string) => boolean;
  /** What the pipeline itself reads of values and mesh config, read once. */
  readonly settings: InjectorSettings;
}

export interface InjectorSettings {
  readonly clusterName: string;
  readonly network: string;
  readonly holdApplication: boolean;
  readonly rewriteProbes: boolean;
  readonly inboundTrafficPolicyMode: "localhost" | "passthrough";
}

/** What is known of the calling cluster; each overrides the release's own setting. */
export interface ClusterSettings {
  readonly revision?: string;
  readonly network?: string;
  readonly nativeSidecars?: boolean;
}

export interface InjectRequest {
  /** The pod as it came. Never changed. */
  readonly pod: Pod;
  /** The namespace of the request: a pod in an AdmissionReview may not name its own. */
  readonly namespace: string;
  /** Environment overrides from the URL path (`/inject/cluster/x/net/y`). */
  readonly parameters: Readonly<Record<string, string>>;
  readonly cluster?: ClusterSettings;
  /** The workload that owns the pod, where the caller knows it (a manifest); otherwise read from the pod. */
  readonly owner?: Owner;
}

/** One pod on its way: what the steps of the pipeline share. */
export interface Injection {
  readonly injector: Injector;
  readonly request: InjectRequest;
  /** The pod that the overlays are merged into: without what an earlier injection put there. */
  readonly pod: Pod;
  /** True where the pod's proxy is one that an older injector put there and that is kept (see restore.ts). */
  readonly adopted: boolean;
  /** What an earlier injection put into the pod, by its own account. */
  readonly earlier: InjectionStatus;
  readonly proxyConfig: ProxyConfig;
  /** Environment variables of the proxy that the caller, the values or the pod's labels decide. */
  readonly environment: Readonly<Record<string, string>>;
  readonly revision: string;
  readonly nativeSidecars: boolean;
}

export type SkipReason =
  | "host-network"
  | "system-namespace"
  | "opted-out"
  | "policy-unknown"
  | "never-selector"
  | "policy-disabled";

export type InjectReason = "opted-in" | "always-selector" | "policy-enabled";

export type InjectResult =
  | {
      readonly injected: true;
      readonly reason: InjectReason;
      readonly pod: Pod;
      readonly patch: readonly PatchOperation[];
      /** The patch as JSON text, checked: what is sent. */
      readonly patchText: string;
      readonly templates: readonly string[];
      readonly warnings: readonly string[];
    }
  | { readonly injected: false; readonly reason: SkipReason; readonly message: string };
