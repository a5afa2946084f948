// The names under which the steps of the injection are credited with what they write.

import { overlayMerge } from "../merge/merge-overlays.ts";
import { containerOverrides } from "../merge/overrides.ts";
import { appProbes } from "../steps/app-probes.ts";
import { clusterEnvironment } from "../steps/cluster-environment.ts";
import { injectionRecord } from "../steps/injection-record.ts";
import type { InjectionStep } from "../steps/injection-step.ts";
import { containerOrder } from "../steps/order-containers.ts";
import { prometheusMerge } from "../steps/prometheus-merge.ts";
import { platformUserLeft, proxyUserAlignment } from "../steps/proxy-user.ts";
import { volumeReconciliation } from "../steps/reconcile-volumes.ts";
import { securePort } from "../steps/secure-port.ts";
import { volumeSources } from "../steps/volume-sources.ts";

export type StepName =
  | "template-merge"
  | "container-overrides"
  | "proxy-user"
  | "platform-user"
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
  [platformUserLeft, step("platform-user")],
  [clusterEnvironment, step("cluster-environment", true)],
  [prometheusMerge, step("prometheus-merge")],
  [securePort, step("secure-port")],
  [appProbes, step("app-probes")],
  [injectionRecord, step("injection-record")],
  [containerOrder, step("container-order")],
  [volumeSources, step("volume-sources")],
  [volumeReconciliation, step("volume-reconciliation")],
]);
