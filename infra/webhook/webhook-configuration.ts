// The Kubernetes objects that make an API server call Outrigger, as far as they are written here. Types and the labels and
// annotations by which Outrigger knows its own objects again; no rule of what stands in them.
import type { JsonObject } from "../../lib/json.ts";

export interface MutatingWebhookConfiguration {
  readonly apiVersion: "admissionregistration.k8s.io/v1";
  readonly kind: "MutatingWebhookConfiguration";
  readonly metadata: ObjectMeta;
  readonly webhooks: readonly MutatingWebhook[];
}

export interface ObjectMeta {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface MutatingWebhook {
  readonly name: string;
  readonly clientConfig: { readonly url: string; readonly caBundle?: string };
  readonly rules: readonly JsonObject[];
  readonly failurePolicy: FailurePolicy;
  readonly matchPolicy: "Equivalent";
  readonly namespaceSelector: Selector;
  readonly objectSelector: Selector;
  readonly matchConditions: readonly MatchCondition[];
  readonly sideEffects: "None";
  readonly timeoutSeconds: number;
  readonly reinvocationPolicy: "IfNeeded";
  readonly admissionReviewVersions: readonly string[];
}

export type FailurePolicy = "Ignore" | "Fail";

export interface Selector {
  readonly matchExpressions: readonly Requirement[];
}

export interface Requirement {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  readonly values?: readonly string[];
}

/** A CEL expression that has to be true of a request for the webhook to be called. */
export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

/**
 * Labels of every object that is ours. None of them is `istio.io/rev`: istiod puts its own CA into every configuration
 * that carries its revision there, and no call would reach a public endpoint any more.
 */
export const ownLabels = {
  managedBy: "app.kubernetes.io/managed-by",
  instance: "app.kubernetes.io/instance",
  revision: "outrigger/revision",
  tag: "outrigger/tag",
} as const;

/** Value of the label `managedBy`, and the name under which fields are applied. */
export const FIELD_MANAGER = "outrigger";

/** What was asked for, kept with the object so that it can be asked for again: see drift.ts. */
export const ownAnnotations = {
  stage: "outrigger/stage",
  namespaces: "outrigger/namespaces",
  /** When `outrigger off` was run. */
  off: "outrigger/off",
} as const;
