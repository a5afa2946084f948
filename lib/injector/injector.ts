// A loaded release: what the pipeline has before any pod comes, the same for every pod.

import type { JsonObject } from "@outrigger/base";
import type { IstioRelease, MeshConfig, ProxyConfigResource } from "@outrigger/mesh";
import type { LabelSelector } from "@outrigger/pod";
import type { TemplateSet } from "@outrigger/template";

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
}

export interface InjectorSettings {
  readonly clusterName: string;
  readonly network: string;
  readonly holdApplication: boolean;
  readonly rewriteProbes: boolean;
  readonly inboundTrafficPolicyMode: "localhost" | "passthrough";
}
