// What a controller of workloads is given, and what it may do.
import type { JsonObject } from "@outrigger/base";

export type Reconcile = (workload: Workload) => Promise<void>;

export interface Workload {
  readonly path: string;
  readonly object: JsonObject;
  readonly revision: string;
  readonly pods: readonly MadePod[];
}

export interface MadePod {
  readonly path: string;
  readonly object: JsonObject;
  readonly isReady: boolean;
  readonly isAvailable: boolean;
  readonly isNew: boolean;
}

/** The names of pods of a kind, and who owns them. */
export interface PodNames {
  /** The label of the revision. */
  readonly label: (typeof HASHES)[number];
  /** The kind of the owner: a ReplicaSet is named for its revision. */
  readonly owner: string;
  /** The number of a pod that has a name of its own, in a StatefulSet. */
  readonly ordinal?: number;
}

export interface ControllerTools {
  readonly now: () => number;
  readonly podsOf: (path: string, workload: JsonObject, revision: string) => readonly MadePod[];
  /** Resolves to the message of a denial. */
  readonly makePod: (workload: Workload, names: PodNames) => Promise<string | undefined>;
  readonly removePod: (path: string) => void;
  /** Writes a status where it is another. */
  readonly update: (path: string, object: JsonObject, status: JsonObject) => void;
}

/** Labels of the revision that a pod is of. */
export const HASHES = ["pod-template-hash", "rollouts-pod-template-hash", "controller-revision-hash"] as const;
