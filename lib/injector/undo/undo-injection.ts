// Restores the pod that the author wrote from an injected one, by running the injection's steps backwards. An injection
// then gives the same result the first time and the tenth, whatever the configuration was in between.

import type { Pod } from "@outrigger/pod";
import { annotationKeys } from "../keys.ts";
import { withMetadata, withoutKeys } from "../pod-edit.ts";
import { injectionSteps } from "../steps/injection-steps.ts";
import { type EarlierInjection, neverInjected, type RecordOptions, readEarlierInjection } from "./earlier-injection.ts";

export interface Restored {
  readonly pod: Pod;
  readonly earlier: EarlierInjection;
}

/**
 * The pod as its author wrote it, except for volumes of an earlier injection: those are reconciled after merging, when
 * the new ones are known (steps/reconcile-volumes.ts). A pod without annotations of an injection is returned as it
 * is.
 *
 * @throws OutriggerError `annotation-invalid` for an overrides annotation that no injection writes
 */
export function undoInjection(pod: Pod, options: RecordOptions): Restored {
  const earlier = readEarlierInjection(pod, options);
  if (earlier === undefined) return { pod: withoutRecord(pod), earlier: neverInjected };
  const restored = injectionSteps.reduceRight((current, step) => step.undo?.(current, earlier) ?? current, pod);
  return { pod: withoutRecord(restored), earlier };
}

/** Only injections write these annotations, so they never belong to the author's pod. */
function withoutRecord(pod: Pod): Pod {
  const annotations = pod.metadata?.annotations;
  if (!annotations) return pod;
  const kept = withoutKeys(annotations, [annotationKeys.status, annotationKeys.overrides]);
  return kept === annotations ? pod : withMetadata(pod, { annotations: kept });
}
