// Whether a pod counts where pods of a cluster are counted. Pure.
import { objectOf } from "@outrigger/base";

/** Whether a pod has not ended, is not being deleted, and does not mirror one that its node runs by itself. */
export function isRunning({ metadata, status }: { readonly metadata?: unknown; readonly status?: unknown }): boolean {
  const { phase } = objectOf(status);
  const { deletionTimestamp, annotations } = objectOf(metadata);
  const isMirror = objectOf(annotations)["kubernetes.io/config.mirror"] !== undefined;
  return phase !== "Succeeded" && phase !== "Failed" && deletionTimestamp === undefined && !isMirror;
}
