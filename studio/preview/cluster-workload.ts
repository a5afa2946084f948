// A workload of a cluster as a pod to preview.

import type { JsonObject } from "@outrigger/base";
import type { InjectRequest } from "@outrigger/injector";

/** A workload of a cluster, read only: `GET /api/workloads`. */
export interface ClusterWorkload {
  /** `Deployment web` */
  readonly name: string;
  readonly namespace: string;
  /** Its pods that run. */
  readonly pods: number;
  /** Whether a webhook of the cluster sends its pods. */
  readonly isSent: boolean;
  /** `{metadata, spec}` of its pods. */
  readonly pod: JsonObject;
  readonly owner: NonNullable<InjectRequest["owner"]>;
  /** As in the URL that the webhook calls. */
  readonly parameters: Readonly<Record<string, string>>;
}
