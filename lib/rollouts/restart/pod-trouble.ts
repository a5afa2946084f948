// Why the pods of a workload do not come back: which container, and what of it. Pure. No log is read.
import { type JsonObject, objectOf } from "@outrigger/base";
import { readStatus } from "@outrigger/injector";
import type { Pod } from "@outrigger/pod";
import { conditionOf, containerStatuses, restartCount } from "../pod-status.ts";

/** What keeps a pod from becoming ready. */
export interface PodTrouble {
  readonly pod: string;
  readonly container: string;
  /** `CrashLoopBackOff, exit code 1, OOMKilled` */
  readonly why: string;
  /** It will not pass by itself. */
  readonly isFinal: boolean;
  /** The container is the author's, and it cannot even begin: no release is the cause. */
  readonly isOwn: boolean;
}

/** A container that was restarted so often since is not just late. */
const MANY = 3;
const UNPULLED: ReadonlySet<string> = new Set(["ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"]);
const NEVER_STARTS: ReadonlySet<string> = new Set([
  ...UNPULLED,
  ...["CreateContainerConfigError", "CreateContainerError", "RunContainerError"],
]);

/** The gravest trouble of any of these pods. */
export function troubleOf(pods: readonly JsonObject[]): PodTrouble | undefined {
  const found = pods.flatMap(troublesOfPod);
  return found.find(({ isFinal }) => isFinal) ?? found[0];
}

function troublesOfPod(object: JsonObject): readonly PodTrouble[] {
  const { containers = [], initContainers = [] } = readStatus(object as Pod) ?? {};
  const injected = new Set([...containers, ...initContainers]);
  const pod = String(objectOf(object["metadata"])["name"]);
  const found = containerStatuses(object).flatMap((one) => {
    const { waiting } = objectOf(one["state"]);
    const { terminated } = objectOf(one["lastState"]);
    const { reason } = objectOf(waiting);
    const restarts = restartCount(one);
    if (one["ready"] === true || (reason === undefined && restarts === 0)) return [];
    const { exitCode, reason: ended } = objectOf(terminated);
    const said = [
      reason ?? "it is not ready",
      ...(exitCode === undefined ? [] : [`exit code ${String(exitCode)}`]),
      ...(ended === undefined || ended === "Error" ? [] : [String(ended)]),
      ...(restarts === 0 ? [] : [`${restarts} restarts`]),
    ];
    const isFinal = NEVER_STARTS.has(String(reason)) || (reason === "CrashLoopBackOff" && restarts >= MANY);
    const isOwn = UNPULLED.has(String(reason)) && !injected.has(String(one["name"]));
    return [{ pod, container: String(one["name"]), why: said.join(", "), isFinal, isOwn }];
  });
  if (found.length > 0) return found;
  const unscheduled = conditionOf(object, "PodScheduled");
  return unscheduled?.["status"] !== "False"
    ? []
    : [
        {
          pod,
          container: "-",
          why: `${String(unscheduled["reason"])}: ${String(unscheduled["message"] ?? "")}`,
          isFinal: false,
          isOwn: false,
        },
      ];
}
