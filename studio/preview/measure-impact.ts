// What one release in place of another changes in pods, grouped by identical change: 400 pods read as a few diffs. The same groups as those
// of `outrigger diff --cluster`.

import { ownError } from "@outrigger/base";
import { effectGroups, type Injector, injectedText, type NamedPod, podEffect, workloadOf } from "@outrigger/injector";
import { changedFields, changeKey } from "./change-counts.ts";
import { changeTree } from "./change-tree.ts";
import { workloadPod } from "./preview.ts";
import type { Change, ClusterWorkload, Impact } from "./question.ts";

export interface CountedPod extends NamedPod {
  /** The number of pods that are like this one. */
  readonly pods: number;
}

/** @param before the same object as `after` where nothing is edited: then no pod is injected */
export function measureImpact(pods: readonly CountedPod[], before: Injector, after: Injector): Impact {
  if (before === after) return { unchanged: pods.reduce((sum, pod) => sum + pod.pods, 0), changes: [] };
  let unchanged = 0;
  const found = effectGroups<{ readonly pod: CountedPod; pods: number }>();
  for (const pod of pods) {
    const { name, request } = pod;
    const effect = podEffect(request, before, after);
    if (effect === undefined) unchanged += pod.pods;
    else {
      const { pod: sent, owner = workloadOf(sent, request.namespace) } = request;
      found.membersOf(effect, sent, owner).set(name, { pod, pods: pod.pods });
    }
  }
  const changes = found.groups().map(({ effect, containers, why, pods: count, workloads }): Change => {
    const first = workloads[0]?.pod as CountedPod;
    const [old, edited] = [injectedText(before, first.request), injectedText(after, first.request)];
    return {
      effect,
      containers,
      ...(why !== undefined && { why }),
      pods: count,
      names: workloads.map(({ pod }) => pod.name),
      before: old,
      after: edited,
      fields: changedFields(changeTree(old, edited, "edits")).map(changeKey),
    };
  });
  return { unchanged, changes };
}

/** The pods of workloads that run and are sent to the webhook. */
export function runningPods(workloads: readonly ClusterWorkload[]): readonly CountedPod[] {
  const running = workloads.filter(({ isSent, pods }) => isSent && pods > 0);
  return running.flatMap((workload) => orNone(() => [{ ...workloadPod(workload), pods: workload.pods }]));
}

/** What cannot be read, a workload of a newer API or a manifest, is reported by its preview. */
export function orNone<Pod>(read: () => readonly Pod[]): readonly Pod[] {
  try {
    return read();
  } catch (error) {
    ownError(error);
    return [];
  }
}
