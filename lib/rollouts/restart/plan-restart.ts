// Which workloads a restart would begin with, and which it leaves, and why. Reads only.
import type { JsonObject } from "@outrigger/base";
import type { KubeClient } from "@outrigger/cluster";
import type { JudgePorts } from "../compare/judge-pod.ts";
import { isOutdated, type RunningQuestion, type RunningWorkload, readRunning } from "../running.ts";
import { pathOfWorkload, remedyOf, textOfName, whyLeft } from "./restartable.ts";

/** Which workloads are restarted. */
export interface RestartQuestion extends RunningQuestion {
  /** Only those with pods that this release made. */
  readonly release?: string;
  /** Only those whose new pods get this release of this channel, which a share is served since then. */
  readonly share?: { readonly channel: string; readonly release: string; readonly since: string };
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
  kube: Pick<KubeClient, "get" | "list">,
  ports: JudgePorts,
  { release, share, ...question }: RestartQuestion,
): Promise<RestartPlan> {
  const { workloads } = await readRunning(kube, ports, question);
  const restart: RunningWorkload[] = [];
  const left: LeftWorkload[] = [];
  for (const workload of workloads) {
    if (release !== undefined && !workload.releases[release]) continue;
    if (share !== undefined && !(workload.served === share.release && workload.channel === share.channel)) continue;
    if (!isOutdated(workload)) continue;
    const why = whyNotJudged(workload) ?? whyNotRead(await readWorkload(kube, workload), release !== undefined);
    if (why === undefined) restart.push(workload);
    else left.push({ workload: textOfName(workload), why });
  }
  // What a bad release reached last is where it does its harm now.
  if (release !== undefined) restart.sort((a, b) => (a.newest < b.newest ? 1 : a.newest > b.newest ? -1 : 0));
  return { restart, left };
}

/** By what its pods are; undefined where it may be restarted. */
export function whyNotJudged({ kind, states, example, ...names }: RunningWorkload): string | undefined {
  const verdict = example?.verdict;
  if (verdict?.state === "refused") return `a new pod would be denied: ${verdict.why}`;
  if (states.outdated === undefined && states.missing === undefined && states.foreign === undefined) {
    return "a new pod would have no sidecar: restart it yourself if it is to have none";
  }
  return pathOfWorkload({ kind, ...names }) === undefined ? remedyOf(kind) : undefined;
}

function whyNotRead(object: JsonObject | undefined, isUrgent: boolean): string | undefined {
  return object === undefined ? "it is gone" : whyLeft(object, isUrgent);
}

/** The workload as the API server has it. */
export async function readWorkload(
  kube: Pick<KubeClient, "get">,
  workload: Pick<RunningWorkload, "namespace" | "kind" | "name">,
): Promise<JsonObject | undefined> {
  const path = pathOfWorkload(workload);
  const object = path === undefined ? undefined : await kube.get(path);
  // A list leaves the kind out of its items, and so do some servers of single objects.
  return object && { ...object, kind: workload.kind };
}
