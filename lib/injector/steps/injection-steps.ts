// What an injection does to a pod, in order: run forwards to inject, backwards to restore the pod of its author.

import type { Pod } from "@outrigger/pod";
import type { InjectionStep } from "../injection.ts";
import { annotationKeys } from "../keys.ts";
import { overlayMerge } from "../merge/merge-overlays.ts";
import { containerOverrides } from "../merge/overrides.ts";
import { withMetadata, withoutKeys } from "../pod-edit.ts";
import {
  type EarlierInjection,
  neverInjected,
  type RecordOptions,
  readEarlierInjection,
} from "../undo/earlier-injection.ts";
import { appProbes } from "./app-probes.ts";
import { injectionRecord } from "./injection-record.ts";
import { containerOrder } from "./order-containers.ts";
import { prometheusMerge, securePort } from "./prometheus-merge.ts";
import { clusterEnvironment, platformUserLeft, proxyUserAlignment } from "./proxy-settings.ts";
import { volumeReconciliation, volumeSources } from "./volumes.ts";

/** In their order, each by the name that it is credited under. Each step sees what the steps before it made. */
export const namedSteps = {
  "template-merge": overlayMerge,
  "container-overrides": containerOverrides,
  "proxy-user": proxyUserAlignment,
  "cluster-environment": clusterEnvironment,
  "prometheus-merge": prometheusMerge,
  "secure-port": securePort,
  "app-probes": appProbes,
  "container-order": containerOrder,
  "injection-record": injectionRecord,
  "volume-sources": volumeSources,
  "volume-reconciliation": volumeReconciliation,
  "platform-user": platformUserLeft,
} as const satisfies Readonly<Record<string, InjectionStep>>;

export type StepName = keyof typeof namedSteps;

export const injectionSteps: readonly InjectionStep[] = Object.values(namedSteps);

interface Restored {
  readonly pod: Pod;
  readonly earlier: EarlierInjection;
}

/**
 * The steps backwards: an injection then gives the same result the first time and the tenth, whatever the configuration was in
 * between. The pod is as its author wrote it, except for volumes of an earlier injection: those are reconciled after merging, when
 * the new ones are known (volumes.ts). A pod without annotations of an injection is returned as it
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
