// What an injection does to a pod, in order: run forwards to inject, backwards to restore the pod of its author.

import { overlayMerge } from "../merge/merge-overlays.ts";
import { containerOverrides } from "../merge/overrides.ts";
import { appProbes } from "./app-probes.ts";
import { clusterEnvironment } from "./cluster-environment.ts";
import { injectionRecord } from "./injection-record.ts";
import type { InjectionStep } from "./injection-step.ts";
import { containerOrder } from "./order-containers.ts";
import { prometheusMerge } from "./prometheus-merge.ts";
import { platformUserLeft, proxyUserAlignment } from "./proxy-user.ts";
import { volumeReconciliation } from "./reconcile-volumes.ts";
import { securePort } from "./secure-port.ts";
import { volumeSources } from "./volume-sources.ts";

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
  platformUserLeft,
];
