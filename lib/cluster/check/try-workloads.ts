// One workload of each namespace that our webhooks select, as a dry run in its own namespace; and who else gets the pods there.
import { type JsonObject, OutriggerError, objectOf } from "@outrigger/base";
import { decide, decodePod } from "@outrigger/injector";
import { selectionOf } from "@outrigger/webhook";
import { type OtherWebhook, readOtherWebhooks } from "../admission/other-webhooks.ts";
import { tryPod } from "../admission/try-pod.ts";
import type { KubeClient } from "../kube/kube-client.ts";
import { type InstalledWebhook, selectorsOfInstalled } from "../objects/installed-webhooks.ts";
import { nameOf } from "../objects/own-objects.ts";
import type { WorkloadFacts } from "./facts.ts";
import type { ReleaseFor } from "./served-injection.ts";

type Labels = Readonly<Record<string, string>>;
type Namespaces = ReadonlyMap<string, Labels>;

/** Namespaces whose labels alone make our webhooks choose a pod. */
export function selectedNamespaces(installed: readonly InstalledWebhook[], namespaces: Namespaces): Namespaces {
  const selects = selectionOf(installed.flatMap(selectorsOfInstalled));
  return new Map([...namespaces].filter(([, labels]) => selects(labels, {})));
}

/** Each takes two requests: the whole takes a few seconds at most. */
const MOST = 20;

/** @param failing namespaces in which controllers could not make pods: they come first */
export async function tryWorkloads(
  kube: KubeClient,
  installed: readonly InstalledWebhook[],
  selected: Namespaces,
  failing: readonly string[],
  releaseFor: ReleaseFor,
): Promise<WorkloadFacts> {
  const first = new Set(failing);
  const names = [...selected.keys()].toSorted((a, b) => Number(first.has(b)) - Number(first.has(a))).slice(0, MOST);
  const tried = await Promise.all(
    names.map(async (namespace) => {
      const found = await findDeployment(kube, namespace).catch(unlessDenied);
      if (found === undefined) return [];
      const workload = `${namespace}${found === "denied" ? "" : `/Deployment/${nameOf(found)}`}`;
      if (found === "denied") {
        const answer = { kind: "untried", why: `not allowed to list deployments of ${namespace}` } as const;
        return [{ workload, answer, isExpected: false }];
      }
      const template = objectOf(objectOf(found["spec"])["template"]);
      const answer = await tryPod(kube, namespace, nameOf(found), template);
      const isExpected = isSent(installed, selected.get(namespace) ?? {}, namespace, template, releaseFor);
      return [{ workload, answer, isExpected }];
    }),
  );
  return { tried: tried.flat(), selected: selected.size, left: selected.size - names.length };
}

async function findDeployment(kube: KubeClient, namespace: string): Promise<JsonObject | undefined> {
  const path = `/apis/apps/v1/namespaces/${encodeURIComponent(namespace)}/deployments`;
  for await (const object of kube.list(path, { limit: "1" })) return object;
  return undefined;
}

function unlessDenied(error: unknown): "denied" {
  if (error instanceof OutriggerError && error.code === "cluster-denied") return "denied";
  throw error;
}

/** Whether a webhook of ours gets the pod, is on, and its release injects it. */
function isSent(
  installed: readonly InstalledWebhook[],
  namespaceLabels: Labels,
  namespace: string,
  { metadata, spec }: JsonObject,
  releaseFor: ReleaseFor,
): boolean {
  const labels = objectOf(objectOf(metadata)["labels"]) as Labels;
  const webhook = installed.find((one) => selectionOf(selectorsOfInstalled(one))(namespaceLabels, labels));
  const { hostNetwork } = objectOf(spec);
  if (webhook === undefined || webhook.off !== undefined || hostNetwork === true) return false;
  const release = releaseFor(webhook.revision);
  const pod = decodePod({ metadata: objectOf(metadata), spec: objectOf(spec) }, "encoded");
  return release !== undefined && decide(release.config, pod, namespace).inject;
}

/** Webhooks of others that are called for pods of these namespaces: each is named once. */
export async function webhooksOfNamespaces(kube: KubeClient, selected: Namespaces): Promise<readonly OtherWebhook[]> {
  const chosen = await readOtherWebhooks(kube);
  const found = new Set<OtherWebhook>();
  for (const labels of selected.values()) for (const webhook of chosen(labels, {})) found.add(webhook);
  return [...found];
}
