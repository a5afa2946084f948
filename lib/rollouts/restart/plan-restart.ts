// Which workloads a restart would begin with, and which it leaves, and why. Reads only.
import { type JsonObject, objectsOf } from "@outrigger/base";
import { type KubeClient, listed, type RunningQuestion } from "@outrigger/cluster";
import type { Caution } from "../compare/in-place.ts";
import type { JudgePorts, PodVerdict } from "../compare/judge-pod.ts";
import { isOutdated, type RunningWorkload, readRunning } from "../running.ts";
import { pathOfWorkload, remedyOf, rolloutStatus, textOfName, type WorkloadName, whyLeft } from "./workload.ts";

/** Which workloads are restarted. */
export interface RestartQuestion extends RunningQuestion {
  /** Only those with pods that this release made. */
  readonly release?: string;
  /** Only those whose new pods get this release of this channel, which a share is served since then. */
  readonly share?: { readonly channel: string; readonly release: string; readonly since: string };
  /** Pods are changed where they run, and those that need more are left: which containers may be that are left alone otherwise. */
  readonly inPlace?: readonly string[];
}

/** A workload that stays as it is, although a new pod of it would differ. */
export interface LeftWorkload {
  /** `shop/Deployment/web` */
  readonly workload: string;
  readonly why: string;
}

/** What a restart would do. */
export interface RestartPlan {
  /** In this order. */
  readonly restart: readonly RunningWorkload[];
  readonly left: readonly LeftWorkload[];
}

/**
 * Only workloads whose new pods would differ, and of those the ones whose rollout would come back.
 */
export async function planRestart(
  kube: Pick<KubeClient, "get" | "pods">,
  ports: JudgePorts,
  { release, share, inPlace, ...question }: RestartQuestion,
): Promise<RestartPlan> {
  const { workloads } = await readRunning(kube, ports, question);
  const changeable = inPlace && (await changeableIn(kube, inPlace));
  const restart: RunningWorkload[] = [];
  const left: LeftWorkload[] = [];
  for (const workload of workloads) {
    if (release !== undefined && !workload.releases[release]) continue;
    if (share !== undefined && !(workload.served === share.release && workload.channel === share.channel)) continue;
    if (!isOutdated(workload)) continue;
    const why =
      whyNotJudged(workload) ??
      (changeable && whyReplaced(workload.example?.verdict, changeable)) ??
      whyNotRead(await readWorkload(kube, workload), release !== undefined);
    if (why === undefined) restart.push(workload);
    else left.push({ workload: textOfName(workload), why });
  }
  // What a bad release reached last is where it does its harm now.
  if (release !== undefined) restart.sort((a, b) => (a.newest < b.newest ? 1 : a.newest > b.newest ? -1 : 0));
  return { restart, left };
}

/** By what its pods are; undefined where it may be restarted. */
function whyNotJudged({ kind, states, example, ...names }: RunningWorkload): string | undefined {
  const verdict = example?.verdict;
  if (verdict?.state === "refused") return `a new pod would be denied: ${verdict.why}`;
  if (states.outdated === undefined && states.missing === undefined && states.foreign === undefined) {
    return "a new pod would have no sidecar: restart it yourself if it is to have none";
  }
  return pathOfWorkload({ kind, ...names }) === undefined ? remedyOf(kind) : undefined;
}

/** What of running pods may be changed. */
export interface Changeable {
  /** Containers that may be changed whatever they do. */
  readonly named: readonly string[];
  /** Whether the API server lets CPU and memory change: Kubernetes does from 1.33 on. */
  readonly canResize: boolean;
}

export async function changeableIn(kube: Pick<KubeClient, "get">, named: readonly string[]): Promise<Changeable> {
  const { resources } = (await kube.get("/api/v1")) ?? {};
  return { named, canResize: objectsOf(resources).some(({ name }) => name === "pods/resize") };
}

/** Why a pod becomes current by a new one only; undefined where images and resources are all that differs, and all may be changed. */
export function whyReplaced(verdict: PodVerdict | undefined, { named, canResize }: Changeable): string | undefined {
  if (verdict?.state !== "outdated") return `it is ${verdict?.state}: only a restart brings what the release injects`;
  const { inPlace } = verdict;
  if ("why" in inPlace) return `only a restart brings its change: ${inPlace.why}`;
  if (inPlace.resources.length > 0 && !canResize) {
    return "only a restart brings its change: the API server does not resize running pods (Kubernetes 1.33 does)";
  }
  for (const { name, caution } of [...inPlace.images, ...inPlace.resources]) {
    if (caution === undefined || named.includes(name)) continue;
    return `its container ${name} ${CAUTIONS[caution]}: restart it, or name the container (--container ${name})`;
  }
  return undefined;
}

const CAUTIONS: Readonly<Record<Caution, string>> = {
  traffic: "carries its traffic",
  ended: "has run already",
  application: "is the application's own",
};

function whyNotRead(object: JsonObject | undefined, isUrgent: boolean): string | undefined {
  return object === undefined ? "it is gone" : whyLeft(object, isUrgent);
}

/** Pods that were read, as a list of the API server has them. */
export async function* listedPods(pods: readonly JsonObject[]): ReturnType<KubeClient["pods"]> {
  yield* pods.map(listed);
}

/**
 * What a workload is now: `current` where a new pod would be the same, why it is left, or in what state the gravest of its pods is.
 *
 * @param pods its own
 */
export async function judgeAgain(
  ports: JudgePorts,
  { kind, name }: WorkloadName,
  pods: readonly JsonObject[],
): Promise<"current" | "outdated" | "missing" | "foreign" | { readonly why: string }> {
  const { workloads } = await readRunning({ pods: () => listedPods(pods) }, ports);
  const found = workloads.find((one) => one.kind === kind && one.name === name);
  if (found === undefined || !isOutdated(found)) return "current";
  const why = whyNotJudged(found);
  if (why !== undefined) return { why };
  return found.states.missing !== undefined ? "missing" : found.states.outdated !== undefined ? "outdated" : "foreign";
}

/** The workload that stopped the last restart, where it is not back yet: the next one would break another. */
export async function stillDown(
  kube: Pick<KubeClient, "get">,
  journal: { readonly state: string; readonly failure?: { readonly workload?: string } } | undefined,
): Promise<string | undefined> {
  const { workload } = journal?.failure ?? {};
  if (journal?.state !== "failed" || workload === undefined) return undefined;
  const [namespace = "", kind = "", name = ""] = workload.split("/");
  const object = await readWorkload(kube, { namespace, kind, name });
  return object !== undefined && rolloutStatus(object).state !== "complete" ? workload : undefined;
}

/** The workload as the API server has it. */
export async function readWorkload(
  kube: Pick<KubeClient, "get">,
  workload: WorkloadName,
): Promise<JsonObject | undefined> {
  const path = pathOfWorkload(workload);
  // That it is gone is believed when it is said twice.
  const object = path === undefined ? undefined : ((await kube.get(path)) ?? (await kube.get(path)));
  // A list leaves the kind out of its items, and so do some servers of single objects.
  return object && { ...object, kind: workload.kind };
}
