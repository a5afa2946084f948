// What a wider phase would do to the workloads that are there: one of each namespace that the webhooks will select is tried as a dry run
// while only dry runs are sent, before the pods of controllers are.
import { OutriggerError, plural } from "@outrigger/base";
import { systemNamespaces } from "@outrigger/injector";
import { selectionOf, selectorsOf, type WebhookSettings } from "@outrigger/webhook";
import { tryNamespaces } from "../admission/try-namespaces.ts";
import { learn } from "../fact.ts";
import type { KubeClient } from "../kube/kube-client.ts";
import { readNamespaces } from "../pods/running-pods.ts";

/**
 * Whether settings send pods of controllers that were not sent before. Where nothing is in force, nothing is sent yet, and nothing can
 * be tried.
 */
export function isWider(next: WebhookSettings, before: Pick<WebhookSettings, "phase" | "namespaces"> | undefined) {
  if (next.phase === "audit" || before === undefined) return false;
  if (before.phase === "audit") return true;
  if (next.phase === "namespace") return next.namespaces.some((name) => !before.namespaces.includes(name));
  return before.phase === "namespace";
}

/**
 * Tries one workload of each namespace that the settings select.
 *
 * @returns what could not be tried, as warnings
 * @throws OutriggerError `endpoint-unfit` where a workload would be rejected because of its sidecar
 */
export async function assertWorkloadsTaken(kube: KubeClient, settings: WebhookSettings): Promise<readonly string[]> {
  const { revision, tags, namespaces, enableNamespacesByDefault, injectionLabel, phase } = settings;
  const found = await learn(async () => {
    const selects = selectionOf(
      [revision, ...tags].flatMap((name) => selectorsOf(name, namespaces, enableNamespacesByDefault, injectionLabel)),
    );
    const all = [...(await readNamespaces(kube))];
    const selected = all.filter(([name, labels]) => !systemNamespaces.has(name) && selects(labels, {}));
    return tryNamespaces(
      kube,
      selected.map(([name]) => name),
      () => injectionLabel,
    );
  });
  if (!found.known) return [`No workload was tried in its own namespace: ${found.why}`];
  const rejected = found.value.tried.flatMap(({ workload, answer }) =>
    answer.kind === "rejected" && answer.isOwn !== true
      ? [`${workload}: ${answer.message} (${answer.remediation})`]
      : [],
  );
  if (rejected.length > 0) {
    const message = `Cannot continue to the phase ${phase}: new pods of ${rejected.length} ${plural(rejected.length, "workload that was", "workloads that were")} tried would be rejected; correct them, or pass --force\n  ${rejected.join("\n  ")}`;
    throw new OutriggerError("endpoint-unfit", message);
  }
  const reasons = found.value.tried.flatMap(({ answer }) => (answer.kind === "untried" ? [answer.why] : []));
  if (reasons.length === 0) return [];
  return [
    `${reasons.length} of ${found.value.tried.length} namespaces were not tried: ${reasons[0]}; name them in outrigger print rbac register --namespace`,
  ];
}
