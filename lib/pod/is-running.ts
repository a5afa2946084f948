// Whether a pod counts where pods of a cluster are counted. Pure.
import { objectOf } from "@outrigger/base";
import { metadataOf } from "./metadata-of.ts";

/** Whether a pod has not ended, is not being deleted, and does not mirror one that its node runs by itself. */
export function isRunning(pod: { readonly metadata?: unknown; readonly status?: unknown }): boolean {
  const { phase } = objectOf(pod.status);
  const { deletionTimestamp, annotations } = metadataOf(pod);
  const isMirror = annotations["kubernetes.io/config.mirror"] !== undefined;
  return phase !== "Succeeded" && phase !== "Failed" && deletionTimestamp === "" && !isMirror;
}
