// Why the pods of a workload do not come back: which container, and what of it. Pure.
import { type JsonObject, objectOf } from "@outrigger/base";
import { readStatus } from "@outrigger/injector";
import { metadataOf, type Pod } from "@outrigger/pod";
import { conditionOf, containerStatuses, type Restarts, restartCount, UNPULLED } from "../pod-status.ts";
import type { Cause } from "./journal-entry.ts";

export interface PodTrouble {
  readonly pod: string;
  readonly container: string;
  /** `CrashLoopBackOff, exit code 1, OOMKilled` */
  readonly why: string;
  /** Whether the trouble will not pass by itself. */
  readonly isFinal?: boolean;
  /** The container is the author's, and it cannot even begin: no release is the cause. */
  readonly isOwn?: boolean;
  /** The container is the release's. */
  readonly isInjected?: boolean;
}

/** The trouble as a journal has it: the place, and what is wrong there. */
export function causeOf({ pod, container, why, isOwn }: PodTrouble): Cause {
  return { why: `pod ${pod}, container ${container}: ${why}`, pod, container, ...(isOwn === true && { isOwn }) };
}

/** A container that was restarted so often since is not just late. */
const MANY = 3;
const NEVER_STARTS: ReadonlySet<string> = new Set([
  ...UNPULLED,
  ...["CreateContainerConfigError", "CreateContainerError", "RunContainerError"],
]);

/**
 * The gravest trouble of any of these pods.
 *
 * @param before what a change in place restarts, and what happened before a pod was ready, is no trouble
 */
export function troubleOf(pods: readonly JsonObject[], before?: Restarts): PodTrouble | undefined {
  const found = pods.flatMap((pod) => troublesOfPod(pod, before));
  return found.find(({ isFinal }) => isFinal) ?? found[0];
}

function troublesOfPod(object: JsonObject, before?: Restarts): readonly PodTrouble[] {
  const { containers = [], initContainers = [] } = readStatus(object as Pod) ?? {};
  const injected = new Set([...containers, ...initContainers]);
  const { name: pod } = metadataOf(object);
  const found = containerStatuses(object).flatMap((one) => {
    const { waiting } = objectOf(one["state"]);
    const { terminated } = objectOf(one["lastState"]);
    const { reason } = objectOf(waiting);
    const restarts = restartCount(one) - (before?.get(String(one["name"])) ?? 0);
    if (one["ready"] === true || (reason === undefined && restarts === 0)) return [];
    const { exitCode, reason: ended } = objectOf(terminated);
    const said = [
      reason ?? "it is not ready",
      ...(exitCode === undefined ? [] : [`exit code ${String(exitCode)}`]),
      ...(ended === undefined || ended === "Error" ? [] : [String(ended)]),
      ...(restarts === 0 ? [] : [`${restarts} restarts`]),
    ];
    const isFinal = NEVER_STARTS.has(String(reason)) || (reason === "CrashLoopBackOff" && restarts >= MANY);
    const isInjected = injected.has(String(one["name"]));
    const isOwn = UNPULLED.has(String(reason)) && !isInjected;
    return [{ pod, container: String(one["name"]), why: said.join(", "), isFinal, isOwn, isInjected }];
  });
  if (found.length > 0) return found;
  const unscheduled = conditionOf(object, "PodScheduled");
  if (unscheduled?.["status"] !== "False") return [];
  return [{ pod, container: "-", why: `${String(unscheduled["reason"])}: ${String(unscheduled["message"] ?? "")}` }];
}
