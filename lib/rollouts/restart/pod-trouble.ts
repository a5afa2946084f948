// Why the pods of a workload do not come back: which container, and what of it; and for the terminal alone, its pod's events and the end of
// its log, of which nothing is stored.
import { type JsonObject, objectOf, ownError } from "@outrigger/base";
import type { KubeClient } from "@outrigger/cluster";
import { readStatus } from "@outrigger/injector";
import { metadataOf, type Pod } from "@outrigger/pod";
import { conditionOf, containerStatuses, type Restarts, restartCount, UNPULLED } from "../pod-status.ts";
import type { Cause, RestartFailure } from "./journal-entry.ts";
import { podPath } from "./pods-of-workload.ts";
import { partsOf } from "./workload.ts";

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
  /** The container is the release's. */
  readonly isInjected: boolean;
}

/** As a journal has it: where the trouble is, and what. */
export function causeOf({
  pod,
  container,
  why,
  isOwn,
}: Pick<PodTrouble, "pod" | "container" | "why"> & { isOwn?: boolean }): Cause {
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
  const why = `${String(unscheduled["reason"])}: ${String(unscheduled["message"] ?? "")}`;
  return [{ pod, container: "-", why, isFinal: false, isOwn: false, isInjected: false }];
}

const MOST_EVENTS = 5;
const LOG_LINES = 10;
const LONGEST_LINE = 300;

type TroubledContainer = Readonly<Record<"namespace" | "pod" | "container", string>>;

/** Lines for people; what may not be read is said, and is no reason to fail. */
export async function showCause(
  kube: KubeClient,
  { workload, pod, container }: RestartFailure,
): Promise<readonly string[]> {
  if (workload === undefined || pod === undefined || container === undefined) return [];
  const { namespace } = partsOf(workload);
  const orWhy = (error: unknown) => [ownError(error).message];
  const events = await readEvents(kube, namespace, pod).catch(orWhy);
  const log = await readLog(kube, { namespace, pod, container }).catch(orWhy);
  return [...titled(`Events of the pod ${pod}:`, events), ...titled(`The end of the log of ${container}:`, log)];
}

function titled(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line.slice(0, LONGEST_LINE)}`)];
}

async function readEvents(kube: KubeClient, namespace: string, pod: string): Promise<readonly string[]> {
  const found: JsonObject[] = [];
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`;
  for await (const event of kube.list(path, { fieldSelector: `involvedObject.name=${pod}` })) found.push(event);
  return found
    .filter(({ type }) => type !== "Normal")
    .slice(-MOST_EVENTS)
    .map(({ reason, message }) => `${String(reason)}: ${String(message).replaceAll("\n", " ")}`);
}

/** Of the run before, where the container was restarted: that is the one that ended. */
async function readLog(kube: KubeClient, { namespace, pod, container }: TroubledContainer): Promise<readonly string[]> {
  const path = podPath(namespace, pod);
  const statuses = containerStatuses((await kube.get(path)) ?? {});
  const restarts = restartCount(statuses.find(({ name }) => name === container) ?? {});
  const query = new URLSearchParams({
    container,
    tailLines: `${LOG_LINES}`,
    ...(restarts > 0 && { previous: "true" }),
  });
  const text = (await kube.text(`${path}/log?${query}`)) ?? "";
  return text.split("\n").filter((line) => line.trim() !== "");
}
