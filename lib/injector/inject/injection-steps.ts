// What an injection does to a pod, in order: run forwards to inject, backwards to restore the pod of its author.

import type { InjectionStep } from "./injection-step.ts";
import { overlayMerge } from "./merge-overlays.ts";
import { containerOverrides } from "./overrides.ts";
import { appProbes } from "./post-process/app-probes.ts";
import { clusterEnvironment } from "./post-process/cluster-environment.ts";
import { injectionRecord } from "./post-process/injection-record.ts";
import { containerOrder } from "./post-process/order-containers.ts";
import { prometheusMerge } from "./post-process/prometheus-merge.ts";
import { volumeReconciliation } from "./post-process/reconcile-volumes.ts";
import { securePort } from "./post-process/secure-port.ts";
import { volumeSources } from "./post-process/volume-sources.ts";
import { proxyUserAlignment } from "./proxy-user.ts";

/** Each step sees what the steps before it made. */
export const injectionSteps: readonly InjectionStep[] = [
  overlayMerge,
  containerOverrides,
  proxyUserAlignment,
  clusterEnvironment,
  prometheusMerge,
  securePort,
  appProbes,
  containerOrder,
  injectionRecord,
  volumeSources,
  volumeReconciliation,
];
