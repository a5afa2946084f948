// What cannot be said in a template, in the order in which it is done: each step sees what the one before it made.

import { rewriteAppProbes } from "./app-probes.ts";
import { setClusterEnvironment } from "./cluster-environment.ts";
import { setMetadata } from "./metadata.ts";
import { orderContainers } from "./order-containers.ts";
import { mergePrometheus } from "./prometheus-merge.ts";
import { reconcileVolumes } from "./reconcile-volumes.ts";
import { setSecurePort } from "./secure-port.ts";
import type { PostProcessStep } from "./step.ts";
import { nameVolumeSources } from "./volume-sources.ts";

export const postProcessSteps: readonly PostProcessStep[] = [
  setClusterEnvironment,
  mergePrometheus,
  setSecurePort,
  rewriteAppProbes,
  setMetadata,
  orderContainers,
  nameVolumeSources,
  reconcileVolumes,
];
