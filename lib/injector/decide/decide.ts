// Whether a pod is injected, and why: by the first row of the truth table, decision-rows.ts, that fits it. Knows nothing of what templates write.
//
// A Windows pod is never injected (windows), whatever the table says, and neither is one that the table would inject and no default
// template fits (no-template). If a pod has both, the label overrides the annotation. An empty value counts as none.

import { entryOf, injectionKeys, textOf } from "@outrigger/base";
import { isEmptySelector, type LabelSelector, matchesLabelSelector, type Pod } from "@outrigger/pod";
import type { InjectionConfig, InjectReason, Skipped, SkipReason } from "../injection.ts";
import { wantedTemplates } from "./select-templates.ts";

export type Decision =
  | { readonly inject: true; readonly reason: InjectReason }
  | ({ readonly inject: false } & Skipped);

/** Namespaces that are never injected. Source: Istio's IgnoredNamespaces. */
export const systemNamespaces: ReadonlySet<string> = new Set(
  "kube-system kube-public kube-node-lease local-path-storage".split(" "),
);

/** Decides as Istio's injectRequired does, if some template is for the pod. A test runs the truth table. */
export function decide(config: InjectionConfig, pod: Pod, namespace: string): Decision {
  const decision = decideByTable(config, pod, namespace);
  return decision.inject && wantedTemplates(config, pod, namespace).length === 0 ? skip("no-template") : decision;
}

function decideByTable(config: InjectionConfig, pod: Pod, namespace: string): Decision {
  if ((pod.spec?.os?.name ?? pod.spec?.nodeSelector?.["kubernetes.io/os"]) === "windows") return skip("windows");
  if (pod.spec?.hostNetwork === true) return skip("host-network");
  if (systemNamespaces.has(namespace)) return skip("system-namespace");
  if (config.policy === "unknown") return skip("policy-unknown");
  const labels = pod.metadata?.labels ?? {};
  const { inject: label } = injectionKeys(config.injectionLabel);
  const choice = ownString(labels, label) ?? ownString(pod.metadata?.annotations ?? {}, label);
  if (choice === "true") return { inject: true, reason: "opted-in" };
  if (choice === "false") return skip("opted-out", label);
  if (anyMatches(config.neverInjectSelector, labels)) return skip("never-selector", label);
  if (anyMatches(config.alwaysInjectSelector, labels)) return { inject: true, reason: "always-selector" };
  return config.policy === "enabled" ? { inject: true, reason: "policy-enabled" } : skip("policy-disabled", label);
}

const messages: Readonly<Record<SkipReason, string>> = {
  "host-network": "the pod uses the host's network, which a sidecar must not redirect",
  windows: "the pod runs on Windows, for which there is no proxy",
  "system-namespace": "pods of this namespace are never injected",
  "policy-unknown": 'the config\'s policy is neither "enabled" nor "disabled"',
  "opted-out": 'the pod opts out with LABEL: "false"',
  "never-selector": "the pod's labels match a neverInjectSelector",
  "no-template": "no default template is for such a pod, and it names none",
  "policy-disabled": 'the policy is "disabled" and the pod does not opt in with LABEL: "true"',
};

function skip(reason: SkipReason, label?: string): Decision {
  const message = messages[reason].replace("LABEL", String(label));
  return { inject: false, reason, message, ...(label !== undefined && { label }) };
}

function ownString(map: Readonly<Record<string, string>>, key: string): string | undefined {
  return textOf(entryOf(map, key));
}

function anyMatches(selectors: readonly LabelSelector[], labels: Readonly<Record<string, string>>): boolean {
  return selectors.some((selector) => !isEmptySelector(selector) && matchesLabelSelector(selector, labels));
}
