// The labels and annotations by which Outrigger recognizes its own objects in a cluster, and their names.

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
  /** What was requested, kept with the object: see webhook-settings.ts. */
  settings: "outrigger/settings",
  /** When `outrigger off` was run. */
  off: "outrigger/off",
  /** The lease of the command that is changing the object, or was the last to change it: the fence of every write. */
  lease: "outrigger/lease",
} as const;

/** Names of objects that are ours and of no revision. */
export const ownNames = {
  /** What marks a cluster that was switched off when it had none of our objects. */
  offMark: "outrigger-off",
  /** The ConfigMap that says who restarts workloads: in a namespace that every cluster has. */
  restartJournal: { name: "outrigger-restart", namespace: "default" },
} as const;
