// What the pipeline works with: a loaded release (the same for every pod) and a request (one pod).

import type { JsonObject } from "@outrigger/base";
import type { IstioRelease, MeshConfig, ProxyConfig, ProxyConfigResource } from "@outrigger/mesh";
import type { LabelSelector, PatchOperation, Pod } from "@outrigger/pod";
import type { TemplateSet } from "@outrigger/template";
import type { IstioRules } from "./istio-rules.ts";
import type { Owner } from "./owner.ts";
import type { Overlay } from "./render/render-overlays.ts";
import type { EarlierInjection } from "./undo/earlier-injection.ts";

/** Which pods are injected, and with what: `source/config`, parsed. */
export type InjectionConfig = {
  /** Decides for pods that no label, annotation or selector decides for. */
  readonly policy: "enabled" | "disabled" | "unknown";
  readonly defaultTemplates: readonly string[];
  /** Alias → template names. Expansion is not recursive. */
  readonly aliases: Readonly<Record<string, readonly string[]>>;
  readonly neverInjectSelector: readonly LabelSelector[];
  readonly alwaysInjectSelector: readonly LabelSelector[];
  /** Annotations that every injected pod gets. */
  readonly injectedAnnotations: Readonly<Record<string, string>>;
  readonly revision: string;
  readonly nativeSidecars: boolean;
  readonly compliancePolicy: string;
  readonly platform: "" | "openshift";
  /** The Istio release whose injection is reproduced. Absent: the development line. */
  readonly istio?: IstioRelease;
  /** Keeps to the reference even where it makes a pod that no API server accepts. Absent: such a pod is prevented. */
  readonly compatibility?: "reference";
};

/** A loaded release: everything that does not change from pod to pod. */
export interface Injector {
  readonly config: InjectionConfig;
  readonly values: JsonObject;
  readonly meshConfig: MeshConfig;
  readonly proxyConfigs: readonly ProxyConfigResource[];
  /** Namespace → its annotations, in which a platform (OpenShift) keeps user ids. */
  readonly namespaceAnnotations: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly templates: TemplateSet;
  /** True for a name that some template of the release spells out: a container or volume that may be injected. */
  readonly isInjectable: (name: string) => boolean;
  /** Settings that the pipeline itself takes from values and mesh config, read once. */
  readonly settings: InjectorSettings;
  /** The rules of the Istio release that the configuration names. */
  readonly rules: IstioRules;
}

export interface InjectorSettings {
  readonly clusterName: string;
  readonly network: string;
  readonly holdApplication: boolean;
  readonly rewriteProbes: boolean;
  readonly inboundTrafficPolicyMode: "localhost" | "passthrough";
}

/** Settings of the calling cluster; each overrides the release's own. */
export interface ClusterSettings {
  readonly revision?: string;
  readonly network?: string;
  readonly nativeSidecars?: boolean;
}

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
  /** The caller itself judges whether an API server accepts the injected pod: publishing reports all that is wrong. */
  readonly isTrial?: boolean;
}

/** One pod in the pipeline: the state that its stages share. */
export interface Injection {
  readonly injector: Injector;
  readonly request: InjectRequest;
  /** The pod as its author wrote it, which the overlays are merged into: without an earlier injection. */
  readonly pod: Pod;
  /** What an earlier injection added to the pod, by its own record. */
  readonly earlier: EarlierInjection;
  readonly proxyConfig: ProxyConfig;
  /** Environment variables of the proxy that come from the caller, the values or the pod's labels. */
  readonly environment: Readonly<Record<string, string>>;
  readonly revision: string;
  readonly nativeSidecars: boolean;
}

/** A pod whose templates are rendered: what the steps of the injection work with. */
export interface RenderedInjection extends Injection {
  /** One for each template, in order. */
  readonly overlays: readonly Overlay[];
  /** All overlays merged with each other: what is injected, without anything of the pod. */
  readonly overlay: Pod;
}

export type SkipReason =
  | "host-network"
  | "windows"
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
      /** The patch as JSON text, as it was checked and as it is sent. */
      readonly patchText: string;
      readonly templates: readonly string[];
      readonly warnings: readonly string[];
    }
  | { readonly injected: false; readonly reason: SkipReason; readonly message: string };

/** What a caller needs that only sends the patch on. */
export type InjectAnswer = Injected<InjectResult> | Extract<InjectResult, { readonly injected: false }>;

type Injected<Result> = Omit<Extract<Result, { readonly injected: true }>, "pod" | "patch">;
