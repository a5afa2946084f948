// Taking an injection off a pod, by the pod's own record, or by what Istio's templates write. Pure.
import { isObject, jsonEqual } from "@outrigger/base";
import type { Pod } from "@outrigger/pod";
import type { Injector } from "../injection.ts";
import { ownerOf } from "../owner.ts";
import { undoInjection } from "../steps/injection-steps.ts";
import { withoutEarlierVolumes } from "../steps/volumes.ts";
import { neverInjected, recordOptions } from "../undo/earlier-injection.ts";
import { readStatus } from "../undo/injection-status.ts";
import { renderedProxy, withoutIstio } from "../undo/without-istio.ts";

/**
 * Returns the pod as its author wrote it; undefined for one that was not injected.
 *
 * @param injector the release that made the pod, or the nearest that is known
 * @param workload the name of the workload that owns the pod
 * @throws OutriggerError `manifest-invalid` where something of Istio's mesh is left, with its name
 */
export function uninjectPod(
  injector: Injector,
  pod: Pod,
  workload = ownerOf(pod.metadata ?? {}).name,
): Pod | undefined {
  // The record of another injector is all that says what it injected: templates of this tree need not have its names.
  const isListed = readStatus(pod)?.trust === "listed";
  const known = isListed ? { ...injector, isInjectable: () => true } : injector;
  const { pod: undone, earlier } = undoInjection(pod, recordOptions(known, false));
  if (earlier.trust === "whole") return withoutEmptyMetadata(withoutEarlierVolumes({ pod: undone, earlier }));
  if (earlier === neverInjected && renderedProxy(pod) === undefined) {
    return jsonEqual(undone, pod) ? undefined : withoutEmptyMetadata(undone);
  }
  return withoutEmptyMetadata(withoutIstio(pod, withoutEarlierVolumes({ pod: undone, earlier }), injector, workload));
}

/** Removes maps that have nothing left, because they came with the injection, and metadata that have none. */
function withoutEmptyMetadata(pod: Pod): Pod {
  const { metadata = {}, spec, ...rest } = pod;
  const isEmpty = (value: unknown) => isObject(value) && Object.keys(value).length === 0;
  const kept = Object.entries(metadata).filter(([, value]) => value !== undefined && !isEmpty(value));
  return { ...rest, ...(kept.length > 0 && { metadata: Object.fromEntries(kept) }), ...(spec && { spec }) };
}
