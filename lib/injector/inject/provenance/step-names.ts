// The names under which the steps of the injection are credited with what they write.

import type { InjectionStep } from "../injection-step.ts";
import { overlayMerge } from "../merge-overlays.ts";
import { containerOverrides } from "../overrides.ts";
import { appProbes } from "../post-process/app-probes.ts";
import { clusterEnvironment } from "../post-process/cluster-environment.ts";
import { injectionRecord } from "../post-process/injection-record.ts";
import { containerOrder } from "../post-process/order-containers.ts";
import { prometheusMerge } from "../post-process/prometheus-merge.ts";
import { volumeReconciliation } from "../post-process/reconcile-volumes.ts";
import { securePort } from "../post-process/secure-port.ts";
import { volumeSources } from "../post-process/volume-sources.ts";
import { proxyUserAlignment } from "../proxy-user.ts";

export type StepName =
  | "template-merge"
  | "container-overrides"
  | "proxy-user"
  | "cluster-environment"
  | "prometheus-merge"
  | "secure-port"
  | "app-probes"
  | "injection-record"
  | "container-order"
  | "volume-sources"
  | "volume-reconciliation";

export interface NamedStep {
  readonly name: StepName;
  /** Whether the step only moves and merges what templates wrote, without reading it: then marks pass through it. */
  readonly carriesMarks: boolean;
}

const step = (name: StepName, carriesMarks = false): NamedStep => ({ name, carriesMarks });

export const stepNames: ReadonlyMap<InjectionStep, NamedStep> = new Map([
  [overlayMerge, step("template-merge", true)],
  [containerOverrides, step("container-overrides", true)],
  [proxyUserAlignment, step("proxy-user")],
  [clusterEnvironment, step("cluster-environment", true)],
  [prometheusMerge, step("prometheus-merge")],
  [securePort, step("secure-port")],
  [appProbes, step("app-probes")],
  [injectionRecord, step("injection-record")],
  [containerOrder, step("container-order")],
  [volumeSources, step("volume-sources")],
  [volumeReconciliation, step("volume-reconciliation")],
]);
