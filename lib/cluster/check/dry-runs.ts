// Trying pods on a cluster's API server, as dry runs, which make none: samples, and one workload of each namespace that our webhooks select,
// in its own namespace; and who else gets the pods there.
import { injectionKeys, isOwnError, type JsonObject, OutriggerError, ownError } from "@outrigger/base";
import { decide, decodePod, type Release, type samplePods } from "@outrigger/injector";
import { metadataOf, type Pod } from "@outrigger/pod";
import { selectionOf } from "@outrigger/webhook";
import { type OtherWebhook, readOtherWebhooks } from "../admission/other-webhooks.ts";
import { tryNamespaces } from "../admission/try-namespaces.ts";
import type { KubeClient } from "../kube/kube-client.ts";
import { type InstalledWebhook, selectorsOfInstalled } from "../objects/installed-webhooks.ts";
import { findProbes, NO_NAMESPACE, type Probe } from "../register/probe-injection.ts";

type Labels = Readonly<Record<string, string>>;

type Samples = ReturnType<typeof samplePods>;

/**
 * Creates every sample as a dry run, in a namespace that the webhooks choose.
 *
 * @param release of the webhook's revision; without one, each sample that is sent is expected to be injected
 */
export async function readDryRuns(kube: KubeClient, webhook: InstalledWebhook, samples: Samples, release?: Release) {
  const { settings, revision } = webhook;
  const probes = await findProbes(kube, { revision, namespaces: settings?.namespaces ?? [], ...settings });
  const selects = selectionOf(selectorsOfInstalled(webhook));
  const dryRun = async ({ namespace, namespaceLabels, labels }: Probe, { name, request: { pod } }: Samples[number]) => {
    const { name: _, namespace: _namespace, ...others } = pod.metadata ?? {};
    const place = { generateName: "outrigger-check-", namespace };
    const metadata = { ...others, ...place, labels: { ...labels, ...others.labels } };
    const tried = { ...pod, apiVersion: "v1", kind: "Pod", metadata, spec: withoutReferences(pod.spec) };
    const path = `/api/v1/namespaces/${namespace}/pods`;
    const isSent = selects(namespaceLabels, metadata.labels);
    const started = performance.now();
    const answer = await kube.createDryRun(path, tried as JsonObject).catch(rejectionOf);
    const milliseconds = Math.round(performance.now() - started);
    const made = typeof answer === "string" ? undefined : answer;
    return {
      sample: name,
      namespace,
      milliseconds,
      isInjected: metadataOf(made).annotations[injectionKeys(settings?.injectionLabel).status] !== undefined,
      isExpected: isSent && (release === undefined || decide(release.config, tried, namespace).inject),
      ...(typeof answer === "string" && { problem: answer }),
    };
  };
  let denied = new OutriggerError("cluster-denied", NO_NAMESPACE);
  // Roles may allow it in one of them only.
  for (const probe of probes) {
    try {
      const runs = [];
      for (const sample of samples) runs.push(await dryRun(probe, sample));
      return runs;
    } catch (error) {
      denied = ownError(error, "cluster-denied");
    }
  }
  throw denied;
}

/** What a sample refers to by name is of its own namespace or cluster, and an API server refuses a pod without it. */
function withoutReferences(spec: Pod["spec"] = { containers: [] }): NonNullable<Pod["spec"]> {
  const { serviceAccountName: _a, serviceAccount: _b, priorityClassName: _c, priority: _d, ...others } = spec;
  const { runtimeClassName: _e, overhead: _f, ...own } = others;
  return own;
}

/** A principal that may not create pods cannot try any; whatever else is said is about the sample. */
function rejectionOf(error: unknown): string {
  if (isOwnError(error, "cluster-denied")) throw error;
  return ownError(error).message;
}

type Namespaces = ReadonlyMap<string, Labels>;

/** Namespaces whose labels alone make our webhooks choose a pod. */
export function selectedNamespaces(installed: readonly InstalledWebhook[], namespaces: Namespaces): Namespaces {
  const selects = selectionOf(installed.flatMap(selectorsOfInstalled));
  return new Map([...namespaces].filter(([, labels]) => selects(labels, {})));
}

/**
 * Creates pods of one workload of each namespace that our webhooks select, in that namespace. `selected` counts these namespaces, and
 * `left` those over the bound.
 *
 * @param failing namespaces in which controllers could not make pods: they come first
 */
export async function tryWorkloads(
  kube: KubeClient,
  installed: readonly InstalledWebhook[],
  selected: Namespaces,
  failing: readonly string[],
  releaseFor: (revision: string) => Release | undefined,
) {
  const first = new Set(failing);
  const names = [...selected.keys()].toSorted((a, b) => Number(first.has(b)) - Number(first.has(a)));
  const webhookFor = (ofNamespace: Labels, ofPod: Labels) =>
    installed.find((one) => selectionOf(selectorsOfInstalled(one))(ofNamespace, ofPod));
  const { tried, left } = await tryNamespaces(
    kube,
    names,
    (name) => webhookFor(selected.get(name) ?? {}, {})?.settings?.injectionLabel,
  );
  const judged = tried.map(({ namespace, workload, answer, template }) => {
    const [ofNamespace, ofPod] = [selected.get(namespace) ?? {}, metadataOf(template).labels];
    const webhook = webhookFor(ofNamespace, ofPod);
    // Whether a webhook of ours gets the pod, is on, and its release injects it.
    const release = webhook !== undefined && webhook.off === undefined ? releaseFor(webhook.revision) : undefined;
    const isExpected =
      template !== undefined &&
      release !== undefined &&
      decide(release.config, decodePod(template, "encoded"), namespace).inject;
    return { workload, answer, isExpected };
  });
  return { tried: judged, selected: selected.size, left };
}

/** Webhooks of others that are called for pods of these namespaces: each is named once. */
export async function webhooksOfNamespaces(kube: KubeClient, selected: Namespaces): Promise<readonly OtherWebhook[]> {
  const chosen = await readOtherWebhooks(kube);
  const found = new Set<OtherWebhook>();
  for (const labels of selected.values()) for (const webhook of chosen(labels, {})) found.add(webhook);
  return [...found];
}
