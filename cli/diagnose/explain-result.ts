// The verdict of `outrigger explain`: one line that answers the question, after everything that leads to it. Pure.
import type { tryWorkload } from "@outrigger/cluster";
import type { explainSelection } from "@outrigger/webhook";
import type { Account } from "./explain-pod.ts";

/** What a webhook says about a pod. */
export type Selection = ReturnType<typeof explainSelection>[number];

/** What an API server says about a pod. */
export type Admission = Awaited<ReturnType<typeof tryWorkload>>;

/**
 * @param selection undefined where neither a cluster nor the namespace's labels are known
 * @param admission undefined where no cluster was asked
 */
export function resultOf(account: Account, selection: readonly Selection[] | undefined, admission?: Admission): string {
  const answer = admission?.answer;
  if (answer?.kind === "rejected") return `the API server rejects the pod: ${answer.message}`;
  const expected = expectedResult(account, selection);
  const isSent = account.decision === "injected" && !isUnsent(selection);
  if (answer?.kind === "admitted" && isSent && !answer.isInjected) {
    return "no sidecar, although the release injects it: the call fails and is ignored (outrigger check), the served release is another, or another webhook takes the sidecar away";
  }
  const [obstacle] = answer?.kind === "admitted" ? answer.obstacles : [];
  return obstacle === undefined ? expected : `${expected}, but it does not run: ${obstacle.problem}`;
}

function expectedResult(
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
