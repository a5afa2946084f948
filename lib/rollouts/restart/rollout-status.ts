// Whether the rollout of a workload is complete: by kubectl's own rules, and by Argo's for its Rollouts. Pure.
// Source: rollout_status.go of kubectl's polymorphichelpers.
import { type JsonObject, objectOf } from "@outrigger/base";
import { conditionOf } from "../pod-status.ts";

/** Where a rollout is. */
export interface RolloutStatus {
  readonly state: "complete" | "progressing" | "failed";
  /** What it waits for, or why it failed. */
  readonly why: string;
}

/** @param workload a Deployment, StatefulSet, DaemonSet or Rollout, as the API server has it */
export function rolloutStatus(workload: JsonObject): RolloutStatus {
  const rule = RULES[String(workload["kind"])];
  if (rule === undefined) return { state: "failed", why: `a ${String(workload["kind"])} has no rollout` };
  const numbers = numbersOf(workload);
  if (numbers.observed === 0 || numbers.generation > numbers.observed) return waiting("its change to be seen");
  return rule(workload, numbers);
}

type Rule = (workload: JsonObject, numbers: ReturnType<typeof numbersOf>) => RolloutStatus;

const RULES: Readonly<Record<string, Rule>> = {
  Deployment(workload, { wanted, updated, all, available }) {
    const progressing = conditionOf(workload, "Progressing");
    if (progressing?.["reason"] === "ProgressDeadlineExceeded") {
      return { state: "failed", why: "it exceeded its progress deadline" };
    }
    if (updated < wanted) return waiting(`${updated} of ${wanted} new pods have been made`);
    if (all > updated) return waiting(`${all - updated} old pods are still there`);
    return available < updated ? waiting(`${available} of ${updated} new pods are available`) : COMPLETE;
  },
  StatefulSet(workload, { wanted, ready, updated, available }) {
    const { updateStrategy, minReadySeconds } = objectOf(workload["spec"]);
    const { currentRevision, updateRevision } = objectOf(workload["status"]);
    if (ready < wanted) return waiting(`${ready} of ${wanted} pods are ready`);
    const { partition } = objectOf(objectOf(updateStrategy)["rollingUpdate"]);
    // An API server writes 0 where nothing was given.
    if (typeof partition === "number" && updated < wanted - partition) {
      return waiting(`${updated} of ${wanted - partition} pods have been updated`);
    }
    if (typeof partition !== "number" && currentRevision !== updateRevision) {
      return waiting(`${updated} of ${wanted} pods have been updated`);
    }
    const isSlow = typeof minReadySeconds === "number" && minReadySeconds > 0;
    return isSlow && available < wanted ? waiting(`${available} of ${wanted} pods are available`) : COMPLETE;
  },
  DaemonSet(workload) {
    const status = objectOf(workload["status"]);
    const wanted = numberOf(status["desiredNumberScheduled"]);
    const updated = numberOf(status["updatedNumberScheduled"]);
    const available = numberOf(status["numberAvailable"]);
    if (updated < wanted) return waiting(`${updated} of ${wanted} pods have been updated`);
    return available < wanted ? waiting(`${available} of ${wanted} pods are available`) : COMPLETE;
  },
  Rollout(workload) {
    const { restartAt } = objectOf(workload["spec"]);
    const { phase, message, restartedAt } = objectOf(workload["status"]);
    const why = typeof message === "string" && message !== "" ? message : `it is ${String(phase)}`;
    if (phase === "Degraded") return { state: "failed", why };
    const isBehind = typeof restartAt === "string" && Date.parse(restartAt) > (Date.parse(String(restartedAt)) || 0);
    if (isBehind) return waiting("its pods to be restarted");
    return phase === "Healthy" ? COMPLETE : waiting(why);
  },
};

const COMPLETE: RolloutStatus = { state: "complete", why: "" };

function waiting(why: string): RolloutStatus {
  return { state: "progressing", why };
}

function numbersOf({ metadata, spec, status, kind }: JsonObject) {
  const { generation } = objectOf(metadata);
  const { replicas } = objectOf(spec);
  const is = objectOf(status);
  // Argo writes it as a text.
  const observed = Number(is["observedGeneration"] ?? 0);
  return {
    generation: kind === "Rollout" && Number.isNaN(observed) ? 0 : numberOf(generation),
    observed: Number.isNaN(observed) ? 1 : observed,
    wanted: typeof replicas === "number" ? replicas : 1,
    all: numberOf(is["replicas"]),
    updated: numberOf(is["updatedReplicas"]),
    ready: numberOf(is["readyReplicas"]),
    available: numberOf(is["availableReplicas"]),
  };
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
