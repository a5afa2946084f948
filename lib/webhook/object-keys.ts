// The annotations and labels of the objects that Outrigger makes in a cluster, and those by which it sees that another tool manages
// one: the key, and its row in docs/reference/annotations.md.

import { keysOf, type MetadataKey } from "@outrigger/base";

/**
 * The keys of the labels and annotations of Outrigger's own objects. None is `istio.io/rev`: istiod puts its own CA
 * into every configuration that carries its revision there, and no call would reach a public endpoint any more.
 */
export const objectKeyTable = {
  deployment: {
    key: "outrigger/deployment",
    doc: {
      on: "object in the cluster",
      use: "read and written",
      meaning: "label of what `register` makes: the deployment's stage",
    },
  },
  revision: {
    key: "outrigger/revision",
    doc: {
      on: "object in the cluster",
      use: "read and written",
      meaning: "label of what `register` makes: the revision",
    },
  },
  tag: {
    key: "outrigger/tag",
    doc: { on: "object in the cluster", use: "read and written", meaning: "label of a webhook for a revision tag" },
  },
  // What was requested, kept with the object: see webhook-settings.ts.
  settings: {
    key: "outrigger/settings",
    doc: {
      on: "object in the cluster",
      use: "read and written",
      meaning: "annotation with the settings of the last registration",
    },
  },
  off: {
    key: "outrigger/off",
    doc: {
      on: "object in the cluster",
      use: "read and written",
      meaning: "annotation with the time at which `outrigger off` ran",
    },
  },
  // The fence of every write.
  lease: {
    key: "outrigger/lease",
    doc: {
      on: "object in the cluster",
      use: "read and written",
      meaning: "annotation with the lease of the command that changed the object last",
    },
  },
  restart: {
    key: "outrigger/restart",
    doc: {
      on: "object in the cluster",
      use: "written",
      meaning:
        "annotation of workloads and pods: when a restart made sure that nothing of an earlier command takes effect",
    },
  },
  managedBy: {
    key: "app.kubernetes.io/managed-by",
    doc: {
      on: "object in the cluster",
      use: "read and written",
      meaning: "label of what `register` makes; another tool's name here means that the tool owns the object",
    },
  },
  // Argo CD writes its application's name over this label, so that `deployment` says the same once more.
  instance: {
    key: "app.kubernetes.io/instance",
    doc: { on: "object in the cluster", use: "read and written", meaning: "label of what `register` makes" },
  },
  helmRelease: {
    key: "meta.helm.sh/release-name",
    doc: {
      on: "object in the cluster",
      use: "read",
      meaning: "annotation of an object that Helm manages: `register` leaves it to Helm",
    },
  },
  argoTrackingId: {
    key: "argocd.argoproj.io/tracking-id",
    doc: {
      on: "object in the cluster",
      use: "read",
      meaning: "annotation of an object that Argo CD manages: `register` leaves it to Argo CD",
    },
  },
  argoInstance: {
    key: "argocd.argoproj.io/instance",
    doc: {
      on: "object in the cluster",
      use: "read",
      meaning: "the same as a label, as older versions of Argo CD write it",
    },
  },
} as const satisfies Readonly<Record<string, MetadataKey>>;

/** The keys by their names: `objectKeys.tag` is `"outrigger/tag"`. */
export const objectKeys = keysOf(objectKeyTable);
