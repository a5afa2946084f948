// Who wrote the nodes of an injected pod: its author, a line of a template, or a step of the injection.

import type { InjectionStep } from "../injection.ts";
import { overlayMerge } from "../merge/merge-overlays.ts";
import { containerOverrides } from "../merge/overrides.ts";
import { appProbes } from "../steps/app-probes.ts";
import { clusterEnvironment } from "../steps/cluster-environment.ts";
import { injectionRecord } from "../steps/injection-record.ts";
import { containerOrder } from "../steps/order-containers.ts";
import { prometheusMerge } from "../steps/prometheus-merge.ts";
import { platformUserLeft, proxyUserAlignment } from "../steps/proxy-user.ts";
import { securePort } from "../steps/secure-port.ts";
import { volumeReconciliation, volumeSources } from "../steps/volumes.ts";

/** Who wrote a node: the pod's author, a line of a template or partial (path in the tree, 1-based position), or a step. */
export type Origin =
  | { readonly kind: "pod" }
  | { readonly kind: "template"; readonly path: string; readonly line: number; readonly column: number }
  | { readonly kind: "step"; readonly step: StepName };

/** The origins of a node and of everything below it. Has the form of the node. */
export interface Origins {
  readonly own: Origin;
  /** By key or index; empty for a scalar. */
  readonly children: ReadonlyMap<string | number, Origins>;
}

export const POD: Origin = { kind: "pod" };

export function scalarOrigins(own: Origin): Origins {
  return { own, children: NONE };
}

const NONE: Origins["children"] = new Map();

type StepName =
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
