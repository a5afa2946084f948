// What the pipeline works with: a loaded release, what is asked about one pod and what is answered, and the pod on its way.

import type { InjectionKeys, JsonObject } from "@outrigger/base";
import type { IstioRelease, MeshConfig, ProxyConfig, ProxyConfigResource } from "@outrigger/mesh";
import type { LabelSelector, PatchOperation, Pod } from "@outrigger/pod";
import type { TemplateSet } from "@outrigger/template";
import type { Owner } from "./owner.ts";
import type { EarlierInjection } from "./undo/earlier-injection.ts";

/** The rules by which pods are injected, and the templates: `source/config`, parsed. */
export type InjectionConfig = {
  /** Decides for pods that no label, annotation or selector decides for. */
  readonly policy: "enabled" | "disabled" | "unknown";
  /** Left out, containers start in Istio's order: those of the template that is named last first. Without a mesh, in the order of the names. */
  readonly mesh?: "none";
  /** In the order of the list, but for entries that come before another. */
  readonly defaultTemplates: readonly DefaultTemplate[];
  /** The template names of each alias. Expansion is not recursive. */
  readonly aliases: Readonly<Record<string, readonly string[]>>;
  readonly neverInjectSelector: readonly LabelSelector[];
  readonly alwaysInjectSelector: readonly LabelSelector[];
  /**
   * The label by which pods and namespaces ask for injection, in place of Istio's, and which webhooks select by. Left out, Istio's labels
   * are.
   */
  readonly injectionLabel?: string;
  readonly injectedAnnotations: Readonly<Record<string, string>>;
  readonly revision: string;
  readonly nativeSidecars: boolean;
  readonly compliancePolicy: string;
  readonly platform: "" | "openshift";
  /** The Istio release whose injection is reproduced. If it is left out, it is the development line. */
  readonly istio?: IstioRelease;
  /**
   * Keeps to the reference even if it makes a pod that no API server accepts. If it is left out, such a pod is
   * prevented.
   */
  readonly compatibility?: "reference";
};

/** A template or alias for the pods that name none themselves: for all of them, or for those that fit. */
export type DefaultTemplate = string | { readonly name: string; readonly match: TemplateMatch };

/** The pods that a default template is for. What is left out fits every pod, and all that is given has to fit. */
export type TemplateMatch = { readonly podLabels?: LabelSelector; readonly namespaces?: readonly string[] };

/** A loaded release: everything that does not change from pod to pod. */
export interface Injector {
  readonly config: InjectionConfig;
  readonly values: JsonObject;
  readonly meshConfig: MeshConfig;
  readonly proxyConfigs: readonly ProxyConfigResource[];
  /** The annotations of each namespace, in which a platform (OpenShift) keeps user ids. */
  readonly namespaceAnnotations: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly templates: TemplateSet;
  /** True for a name that some template of the release spells out: a container or volume that may be injected. */
  readonly isInjectable: (name: string) => boolean;
  /** By which pods ask, and which record the injection. */
  readonly keys: InjectionKeys;
  /** False for a release with keys of its own and no `istio-proxy`: what a pod has of a mesh is another injector's then. */
  readonly isOfMesh: boolean;
  /** Settings that the pipeline itself takes from values and mesh config, read once. */
  readonly settings: InjectorSettings;
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

/** The reason why a pod is not injected: the row of the table in decide/decision-rows.ts that decided, or what precedes or follows it. */
export type SkipReason =
  | ("host-network" | "windows" | "system-namespace" | "opted-out")
  | ("policy-unknown" | "never-selector" | "policy-disabled" | "no-template");

/** The reason why a pod is injected: the row of the table in decide/decision-rows.ts that decided. */
export type InjectReason = "opted-in" | "always-selector" | "policy-enabled";

/** The injected pod with the patch that makes it, or the reason why the pod is not injected. Failures are thrown. */
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
  | ({ readonly injected: false } & Skipped);

/** Why a pod is not injected. */
export interface Skipped {
  readonly reason: SkipReason;
  readonly message: string;
  /** The label by which such a pod can ask for injection; left out where none would help. */
  readonly label?: string;
}

/** The part of a result for a caller that only sends the patch on. */
export type InjectAnswer =
  | Omit<Extract<InjectResult, { readonly injected: true }>, "author" | "pod" | "patch">
  | Extract<InjectResult, { readonly injected: false }>;

/** One pod in the pipeline: the state that its stages share. */
export interface Injection {
  readonly injector: Injector;
  readonly request: InjectRequest;
  /** The pod as its author wrote it, which the overlays are merged into: without an earlier injection. */
  readonly pod: Pod;
  /** The parts of the pod that an earlier injection added, by its own record. */
  readonly earlier: EarlierInjection;
  readonly proxyConfig: ProxyConfig;
  /** Environment variables of the proxy that come from the caller, the values or the pod's labels. */
  readonly environment: Readonly<Record<string, string>>;
  readonly revision: string;
  readonly nativeSidecars: boolean;
}

/** A pod whose templates are rendered: what the steps of the injection work with. */
export interface RenderedInjection extends Injection {
  /** The overlays of the templates, one for each, in order. */
  readonly overlays: readonly Overlay[];
  /** All overlays merged with each other: what is injected, without anything of the pod. */
  readonly overlay: Pod;
}

export interface Overlay {
  /** The partial pod that is merged into the pod. */
  readonly part: JsonObject;
  /** The overlays of the templates so far, this one included, merged with each other. */
  readonly combined: Pod;
  /** The template, if it names the proxy among the containers although the proxy is a native sidecar. */
  readonly misplaced: string | undefined;
}

/**
 * A step of the injection. It never edits a pod in place: if there is nothing to do, it returns the pod that it was
 * given.
 */
export interface InjectionStep {
  readonly apply: (pod: Pod, injection: RenderedInjection) => Pod;
  /** Reverts `apply` in a pod that was injected earlier. A step without it is reverted by undoing another one. */
  readonly undo?: (pod: Pod, earlier: EarlierInjection) => Pod;
}
