// The Kubernetes objects that make an API server call Outrigger, as far as they are written here. Types and the labels and
// annotations by which Outrigger recognizes its own objects; no rules about their contents. They are types, not
// interfaces, so that they are JSON objects too.
import type { JsonObject } from "@outrigger/base";

export type MutatingWebhookConfiguration = {
  readonly apiVersion: "admissionregistration.k8s.io/v1";
  readonly kind: "MutatingWebhookConfiguration";
  readonly metadata: ObjectMeta;
  readonly webhooks: readonly MutatingWebhook[];
};

export type ObjectMeta = {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
};

export type MutatingWebhook = {
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
  readonly reinvocationPolicy: "Never" | "IfNeeded";
  readonly admissionReviewVersions: readonly string[];
};

export type FailurePolicy = "Ignore" | "Fail";

export type Selector = {
  readonly matchExpressions: readonly Requirement[];
};

export type Requirement = {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  readonly values?: readonly string[];
};

/** A CEL expression that has to be true of a request for the webhook to be called. */
export type MatchCondition = {
  readonly name: string;
  readonly expression: string;
};

/**
 * Labels of every object that is ours. None of them is `istio.io/rev`: istiod puts its own CA into every configuration
 * that carries its revision there, and no call would reach a public endpoint any more.
 */
export const ownLabels = {
  managedBy: "app.kubernetes.io/managed-by",
  instance: "app.kubernetes.io/instance",
  /** The same once more: Argo CD writes its application's name over the one above. */
  deployment: "outrigger/deployment",
  revision: "outrigger/revision",
  tag: "outrigger/tag",
} as const;

/** Value of the label `managedBy`, and the name under which fields are applied. */
export const FIELD_MANAGER = "outrigger";

/** Annotations of objects that are ours. */
export const ownAnnotations = {
  /** What was requested, kept with the object: see settings-annotation.ts. */
  settings: "outrigger/settings",
  /** When `outrigger off` was run. */
  off: "outrigger/off",
  /** The lease of the command that is changing the object, or was the last to change it: the fence of every write. */
  lease: "outrigger/lease",
} as const;
