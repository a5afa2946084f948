// How Outrigger recognizes its own objects in a cluster.

/** Value of the label `managedBy`, and the name under which fields are applied. */
export const FIELD_MANAGER = "outrigger";

/** Names of objects that are ours and of no revision. */
export const ownNames = {
  /** The mark on a cluster that was switched off when it had none of our objects. */
  offMark: "outrigger-off",
  /** The ConfigMap that says who restarts workloads: in a namespace that every cluster has. */
  restartJournal: { name: "outrigger-restart", namespace: "default" },
} as const;
