// A workload as a restart knows it: its name and path, how it is restarted (as `kubectl rollout restart` does, and by Argo's own field),
// whether its rollout is complete, and how many of its pods its own strategy lets be down.
import { entryOf, type JsonObject, metadataKeys, objectOf, textOf } from "@outrigger/base";
import { workloadOf } from "@outrigger/injector";
import { metadataOf, type Pod, workloadKinds } from "@outrigger/pod";
import { conditionOf } from "../pod-status.ts";

type NameParts = Readonly<Record<"namespace" | "kind" | "name", string>>;

/** The name by which a workload is known: `shop/Deployment/web`. */
export function nameOf({ namespace, kind, name }: NameParts): string {
  return `${namespace}/${kind}/${name}`;
}

export function partsOf(workload: string): NameParts {
  const [namespace = "", kind = "", name = ""] = workload.split("/");
  return { namespace, kind, name };
}

/** The workloads that an owner may be, or be of: `ReplicaSet/web-5d8f` is of the Deployment `web`, or the Rollout. */
export function namesOfOwner(namespace: string, owner: string): readonly string[] {
  const [, of] = /^ReplicaSet\/(.+)-[^-]*$/.exec(owner) ?? [];
  const above = of === undefined ? [] : [`Deployment/${of}`, `Rollout/${of}`];
  return [owner, ...above].map((each) => `${namespace}/${each}`);
}

/** The part of a workload's selector that is equal labels: its own pods have them, and others may. Empty where it has no selector. */
export function selectorOf(workload: JsonObject): string {
  const { matchLabels } = objectOf(objectOf(workload["spec"])["selector"]);
  return Object.entries(objectOf(matchLabels))
    .map(([key, value]) => `${key}=${String(value)}`)
    .join(",");
}

/** The API path of a workload that can be restarted; undefined for other kinds. */
export function pathOfWorkload(workload: string): string | undefined {
  const { namespace, kind, name } = partsOf(workload);
  const known = workloadKinds.find((one) => one.kind === kind);
  return Object.hasOwn(AWAITED, kind) ? known?.pathOf(namespace, name) : undefined;
}

/** kubectl's own annotation of a pod template: tools that know `kubectl rollout restart` know it. */
const RESTARTED_AT = metadataKeys.restartedAt;

/** @param at ISO 8601, UTC: the same for all workloads of a restart, so that each shows whether it was begun */
export function restartPatch(workload: JsonObject, at: string): JsonObject {
  // The version that was read: a workload that has changed since is looked at again.
  const metadata = { resourceVersion: metadataOf(workload).resourceVersion };
  if (workload["kind"] === "Rollout") return { metadata, spec: { restartAt: at } } as JsonObject;
  const template = { metadata: { annotations: { [RESTARTED_AT]: at } } };
  return { metadata, spec: { template } } as JsonObject;
}

/** The time in whole seconds, as kubectl writes it. */
export function timeText(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}

/** Whether a restart made the pod that began then or later: pods have the time from their template, but not those of a Rollout. */
export function isMadeSince(pod: JsonObject, at: number): boolean {
  const { annotations, creationTimestamp } = metadataOf(pod);
  const isOfRollout = workloadOf(pod as Pod).kind === "Rollout";
  return Date.parse(isOfRollout ? creationTimestamp : String(annotations[RESTARTED_AT])) >= at;
}

/** The time of the workload's last restart, as it says itself; not a number where it says none. */
export function restartedAt({ kind, spec }: JsonObject): number {
  const { restartAt, template } = objectOf(spec);
  const { annotations } = metadataOf(template);
  return Date.parse(String(kind === "Rollout" ? restartAt : annotations[RESTARTED_AT]));
}

/**
 * Returns why a workload must be left to a person, or undefined if it may be restarted.
 *
 * @param isUrgent whether one that is not healthy is restarted too: because of the release that it is to lose
 */
export function whyLeft(workload: JsonObject, isUrgent: boolean): string | undefined {
  const { paused, updateStrategy } = objectOf(workload["spec"]);
  const { name } = metadataOf(workload);
  const kind = String(workload["kind"]).toLowerCase();
  if (paused === true) return `it is paused: resume it first (kubectl rollout resume ${kind}/${name})`;
  const { type, rollingUpdate } = objectOf(updateStrategy);
  if (type === "OnDelete") return "its update strategy is OnDelete: delete its pods yourself";
  const { partition } = objectOf(rollingUpdate);
  if (typeof partition === "number" && partition > 0) return `its partition ${partition} keeps pods as they are`;
  if (isUrgent) return undefined;
  const { state, why } = rolloutStatus(workload);
  return state === "complete" ? undefined : `it was not healthy before: ${why}`;
}

/** Returns what to do about workloads that no restart reaches. */
export function remedyOf(kind: string): string {
  if (kind === "Job" || kind === "CronJob") return "its next run gets the new release";
  if (kind.includes(".")) return "it is of another controller: restart it as that one's documentation says";
  if (kind === "Pod") return "it has no controller: delete it and create it again";
  return `a ${kind} has no rollout: delete its pods, one at a time`;
}

export interface RolloutStatus {
  readonly state: "complete" | "progressing" | "failed";
  /** A description of what the rollout waits for, or why it failed. */
  readonly why: string;
  /** Set while the workload's controller has not seen the change. */
  readonly isUnseen?: true;
}

/**
 * Whether the rollout of a Deployment, StatefulSet, DaemonSet or Rollout is complete: by kubectl's own rules (rollout_status.go of its
 * polymorphichelpers), and by Argo's.
 */
export function rolloutStatus(workload: JsonObject): RolloutStatus {
  const kind = String(workload["kind"]);
  const awaited = entryOf(AWAITED, kind);
  if (awaited === undefined) return { state: "failed", why: `a ${kind} has no rollout` };
  const numbers = numbersOf(workload);
  if (numbers.observed === 0 || numbers.generation > numbers.observed) {
    return { state: "progressing", why: "its change to be seen", isUnseen: true };
  }
  const { phase } = objectOf(workload["status"]);
  if (phase === "Degraded") return { state: "failed", why: phaseText(workload) };
  if (kind === "Deployment" && conditionOf(workload, "Progressing")?.["reason"] === "ProgressDeadlineExceeded") {
    return { state: "failed", why: "it exceeded its progress deadline" };
  }
  const [, why] = awaited(numbers, workload).find(([isAwaited]) => isAwaited) ?? [];
  return why === undefined ? { state: "complete", why: "" } : { state: "progressing", why };
}

type Awaited = readonly (readonly [isAwaited: boolean, what: string])[];

/** The conditions that each kind waits for, in this order. */
const AWAITED: Readonly<Record<string, (numbers: Numbers, workload: JsonObject) => Awaited>> = {
  Deployment: ({ wanted, updated, all, available }) => [
    [updated < wanted, `${updated} of ${wanted} new pods have been made`],
    [all > updated, `${all - updated} old pods are still there`],
    [available < updated, `${available} of ${updated} new pods are available`],
  ],
  StatefulSet({ wanted, ready, updated, available }, { spec, status }) {
    const { updateStrategy, minReadySeconds } = objectOf(spec);
    const { currentRevision, updateRevision } = objectOf(status);
    const { partition } = objectOf(objectOf(updateStrategy)["rollingUpdate"]);
    // An API server writes 0 where nothing was given.
    const least = typeof partition === "number" ? wanted - partition : undefined;
    const isBehind = least === undefined ? currentRevision !== updateRevision : updated < least;
    return [
      [ready < wanted, `${ready} of ${wanted} pods are ready`],
      [isBehind, `${updated} of ${least ?? wanted} pods have been updated`],
      [numberOf(minReadySeconds) > 0 && available < wanted, `${available} of ${wanted} pods are available`],
    ];
  },
  DaemonSet: ({ wanted, updated, available }) => [
    [updated < wanted, `${updated} of ${wanted} pods have been updated`],
    [available < wanted, `${available} of ${wanted} pods are available`],
  ],
  Rollout(_numbers, workload) {
    const { restartAt } = objectOf(workload["spec"]);
    const { phase, restartedAt } = objectOf(workload["status"]);
    const isBehind = typeof restartAt === "string" && Date.parse(restartAt) > (Date.parse(String(restartedAt)) || 0);
    return [
      [isBehind, "its pods to be restarted"],
      [phase !== "Healthy", phaseText(workload)],
    ];
  },
};

function phaseText({ status }: JsonObject): string {
  const { phase, message } = objectOf(status);
  return textOf(message) || `it is ${String(phase)}`;
}

type Numbers = ReturnType<typeof numbersOf>;

function numbersOf({ metadata, spec, status, kind }: JsonObject) {
  const is = objectOf(status);
  // Argo writes it as a text.
  const observed = Number(is["observedGeneration"] ?? 0);
  return {
    generation: kind === "Rollout" && Number.isNaN(observed) ? 0 : metadataOf({ metadata }).generation,
    observed: Number.isNaN(observed) ? 1 : observed,
    wanted: wantedPods({ spec, status } as JsonObject, kind === "DaemonSet" ? 0 : 1),
    all: numberOf(is["replicas"]),
    updated: numberOf(is["updatedReplicas"] ?? is["updatedNumberScheduled"]),
    ready: numberOf(is["readyReplicas"]),
    available: numberOf(is["availableReplicas"] ?? is["numberAvailable"]),
  };
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

/** The number of pods that the workload's own strategy lets be unavailable, at least one. */
export function paceOf(workload: JsonObject, pods: number): number {
  return Math.max(1, Math.floor(unavailableOf(workload, pods)));
}

/** Whether an old pod of the workload is gone before the new one is made: by its strategy, as its controller rounds. */
export function replacesInPlace(workload: JsonObject): boolean {
  const { kind, spec } = workload;
  const { strategy, updateStrategy } = objectOf(spec);
  const { type, rollingUpdate } = objectOf(strategy ?? updateStrategy);
  const { maxSurge } = objectOf(rollingUpdate);
  // A Rollout that is restarted evicts its pods, and a StatefulSet knows no surge.
  if (kind === "DaemonSet") return maxSurge === undefined || maxSurge === 0 || maxSurge === "0%";
  return kind !== "Deployment" || type === "Recreate" || unavailableOf(workload, 1) >= 1;
}

/** What the strategy says of unavailable pods, as a number that is not rounded. */
function unavailableOf({ kind, spec, status }: JsonObject, pods: number): number {
  const { strategy, updateStrategy } = objectOf(spec);
  const { rollingUpdate, canary } = objectOf(strategy ?? updateStrategy);
  const isShared = kind === "Deployment" || kind === "Rollout";
  const { maxUnavailable = isShared ? "25%" : 1 } = objectOf(rollingUpdate ?? canary);
  const wanted = wantedPods({ spec, status } as JsonObject, pods);
  return typeof maxUnavailable === "number"
    ? maxUnavailable
    : (Number.parseFloat(String(maxUnavailable)) / 100) * wanted;
}

/** @param otherwise where it does not say how many */
export function wantedPods({ spec, status }: JsonObject, otherwise: number): number {
  return Number(objectOf(status)["desiredNumberScheduled"] ?? objectOf(spec)["replicas"] ?? otherwise);
}

/** A mark of how far a rollout is: one that was not there before is progress. */
export function progressMark({ status }: JsonObject): string {
  const { observedGeneration: _, collisionCount: _collisions, ...counts } = objectOf(status);
  return JSON.stringify(Object.entries(counts).filter(([, count]) => typeof count === "number"));
}

/** Kubernetes' default deadline of a Deployment, for a workload that says none. */
const DEADLINE_SECONDS = 600;

/** The seconds for which a rollout may make no progress. */
export function deadlineOf({ spec }: JsonObject): number {
  const { progressDeadlineSeconds } = objectOf(spec);
  return typeof progressDeadlineSeconds === "number" ? progressDeadlineSeconds : DEADLINE_SECONDS;
}
