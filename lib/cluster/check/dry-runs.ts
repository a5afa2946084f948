// Trying samples on a cluster's API server: each is created as a dry run, which makes no pod.
import { isObject, type JsonObject, OutriggerError, objectOf } from "@outrigger/base";
import { annotationKeys } from "@outrigger/injector";
import { selectionOf } from "@outrigger/webhook";
import type { KubeClient } from "../kube/kube-client.ts";
import { type InstalledWebhook, selectorsOfInstalled } from "../objects/installed-webhooks.ts";
import { findProbes, NO_NAMESPACE, type Probe } from "../register/probe-injection.ts";
import type { DryRun } from "./facts.ts";

type Labels = Readonly<Record<string, string>>;

/** A sample, and what the served release decides about it. */
export interface SampleToTry {
  readonly name: string;
  readonly pod: JsonObject;
  readonly isInjected: (namespace: string, labels: Labels) => boolean;
}

/** Creates every sample as a dry run, in a namespace that the webhooks choose. */
export async function readDryRuns(
  kube: KubeClient,
  webhook: InstalledWebhook,
  samples: readonly SampleToTry[],
): Promise<readonly DryRun[]> {
  const { settings, revision } = webhook;
  const probes = await findProbes(kube, { revision, namespaces: settings?.namespaces ?? [], ...settings });
  let denied = new OutriggerError("cluster-denied", NO_NAMESPACE);
  // Roles may allow it in one of them only.
  for (const probe of probes) {
    try {
      return await dryRunsIn(kube, webhook, probe, samples);
    } catch (error) {
      if (!(error instanceof OutriggerError) || error.code !== "cluster-denied") throw error;
      denied = error;
    }
  }
  throw denied;
}

async function dryRunsIn(
  kube: KubeClient,
  webhook: InstalledWebhook,
  probe: Probe,
  samples: readonly SampleToTry[],
): Promise<readonly DryRun[]> {
  const { namespace } = probe;
  const runs: DryRun[] = [];
  for (const { name, pod, isInjected } of samples) {
    const { name: _, namespace: _namespace, labels: own, ...metadata } = (pod["metadata"] ?? {}) as JsonObject;
    const labels = { ...probe.labels, ...(own as Labels | undefined) };
    const tried = {
      ...pod,
      apiVersion: "v1",
      kind: "Pod",
      metadata: { ...metadata, generateName: "outrigger-check-", namespace, labels },
    };
    const isSent = selectionOf(selectorsOfInstalled(webhook))(probe.namespaceLabels, labels);
    const started = performance.now();
    const answer = await kube
      .createDryRun(`/api/v1/namespaces/${namespace}/pods`, tried)
      .catch((error: unknown) => rejectionOf(error));
    const { annotations } = objectOf(typeof answer === "string" ? undefined : answer["metadata"]);
    runs.push({
      sample: name,
      namespace,
      milliseconds: Math.round(performance.now() - started),
      isInjected: isObject(annotations) && annotations[annotationKeys.status] !== undefined,
      isExpected: isSent && isInjected(namespace, labels),
      ...(typeof answer === "string" ? { problem: answer } : {}),
    });
  }
  return runs;
}

/** A principal that may not create pods cannot try any; whatever else is said is about the sample. */
function rejectionOf(error: unknown): string {
  const isRefusal = error instanceof OutriggerError && error.code !== "cluster-denied";
  if (isRefusal) return error.message;
  throw error;
}
