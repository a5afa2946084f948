// The verdict of `outrigger explain`: one line that answers the question, after everything that leads to it. Pure.
import type { Selection } from "@outrigger/webhook";
import type { Account } from "./explain-pod.ts";

/**
 * @param selection undefined where neither a cluster nor the namespace's labels are known
 */
export function resultOf(
  { decision, message, templates }: Account,
  selection: readonly Selection[] | undefined,
): string {
  if (isUnsent(selection)) return "no sidecar, because no webhook is called";
  if (decision === "skipped") return `no sidecar, because ${message}`;
  if (decision === "refused") return `the pod is denied: ${message}`;
  const names = templates.map(({ name }) => name).join(", ");
  const injected = names === "" ? "injected without a template" : `injected with ${names}`;
  return selection === undefined
    ? `${injected}, if a webhook is called: name the cluster with --context, or its namespace's labels with --namespace-label`
    : injected;
}

/** Whether it is known that no webhook is called. */
export function isUnsent(selection: readonly Selection[] | undefined): boolean {
  return selection?.every(({ isSent }) => !isSent) ?? false;
}
