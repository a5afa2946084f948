// A loaded release: what the pipeline has before any pod comes, the same for every pod.

import type { JsonObject } from "@outrigger/base";
import { type IstioRelease, isSince, type MeshConfig, type ProxyConfigResource } from "@outrigger/mesh";
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

export interface IstioRules {
  /** Since 1.30: annotations with names of network interfaces are validated. */
  readonly checksInterfaces: boolean;
  /** Since 1.31: `prometheus.istio.io/scrape-targets` is read, and a port that cannot be scraped is denied. */
  readonly readsScrapeTargets: boolean;
  /** Since 1.31: `prometheus.istio.io/secure-port` names the port of metrics over mTLS. */
  readonly setsSecurePort: boolean;
  /** Since 1.31: an `image` without `imageType` in a ProxyConfig leaves `values.global.variant` in effect. */
  readonly keepsVariant: boolean;
}

/**
 * The rules of a release; without one, those of Istio's development line.
 *
 * | rule               | 1.28 | 1.29 | 1.30 | 1.31 | development |
 * |--------------------|------|------|------|------|-------------|
 * | checksInterfaces   | no   | no   | yes  | yes  | yes         |
 * | readsScrapeTargets | no   | no   | no   | yes  | yes         |
 * | setsSecurePort     | no   | no   | no   | yes  | yes         |
 * | keepsVariant       | no   | no   | no   | yes  | yes         |
 */
export function istioRules(release: IstioRelease = "development"): IstioRules {
  const since1dot31 = isSince("1.31", release);
  return {
    checksInterfaces: isSince("1.30", release),
    readsScrapeTargets: since1dot31,
    setsSecurePort: since1dot31,
    keepsVariant: since1dot31,
  };
}
