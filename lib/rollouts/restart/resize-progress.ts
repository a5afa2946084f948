// How far the resize of a running pod is: written, taken by its node, done. Pure.
import { type JsonObject, objectOf } from "@outrigger/base";
import type { Pod } from "@outrigger/pod";
import { type NewResources, resizedContainers } from "../compare/in-place.ts";
import { hasAmounts } from "../compare/new-amounts.ts";
import { conditionOf, containerStatuses } from "../pod-status.ts";

/** `why` is that its node will never do it. */
export type ResizeProgress = "unwritten" | "moving" | "done" | { readonly why: string };

/** @param resources what its containers are to have */
export function resizeProgress(pod: JsonObject, resources: readonly NewResources[]): ResizeProgress {
  const resized = resizedContainers(pod as Pod, { resources });
  if (!resized.every(({ container, amounts }) => hasAmounts(container, amounts))) return "unwritten";
  const pending = conditionOf(pod, "PodResizePending");
  if (pending?.["status"] === "True" && pending["reason"] === "Infeasible") {
    return { why: `its node cannot give it the resources: ${String(pending["message"] ?? "Infeasible")}` };
  }
  if ([pending, conditionOf(pod, "PodResizeInProgress")].some((one) => one?.["status"] === "True")) return "moving";
  const { observedGeneration } = objectOf(pod["status"]);
  const { generation } = objectOf(pod["metadata"]);
  // Kubernetes 1.34 says which version of a pod its status is about.
  if (Number(observedGeneration) >= Number(generation)) return "done";
  const statuses = new Map(containerStatuses(pod).map((status) => [String(status["name"]), status]));
  const isDone = resized.every(({ name, amounts }) => hasAmounts(statuses.get(name) ?? {}, amounts));
  return isDone ? "done" : "moving";
}
