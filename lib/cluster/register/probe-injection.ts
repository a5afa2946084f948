// The proof that a cluster's own API server calls the webhook and accepts its answer: a pod is created as a dry run, so
// that none is made, and the resulting pod is inspected.
import {
  injectionKeys,
  isObject,
  isOwnError,
  type JsonObject,
  metadataKeys,
  objectOf,
  ownError,
} from "@outrigger/base";
import { systemNamespaces } from "@outrigger/injector";
import { metadataOf } from "@outrigger/pod";
import { UNKNOWN_TEMPLATE } from "@outrigger/serving";
import type { WebhookSettings } from "@outrigger/webhook";
import { PROBE_NAMESPACE, selectionOf, selectorsOf } from "@outrigger/webhook";
import { readRejection } from "../admission/read-rejection.ts";
import type { KubeClient } from "../kube/kube-client.ts";

export type Proof =
  | { readonly kind: "injected"; readonly namespace: string }
  /** The webhook answers, and no template is for the pod that was tried. */
  | { readonly kind: "answered"; readonly namespace: string }
  /** The API server let the pod in without calling, or could not reach the webhook. */
  | { readonly kind: "not-injected"; readonly namespace: string }
  /** The API server rejected the pod because the webhook failed. */
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "untried"; readonly why: string };

/** Every API server of a cluster has a new configuration within a second or two. */
const WAITS = [1000, 2000, 4000, 8000];

export async function probeInjection(
  kube: KubeClient,
  settings: ProbeSettings,
  sleep: (milliseconds: number) => Promise<void>,
  report: (line: string) => void = () => {},
): Promise<Proof> {
  const probes = await findProbes(kube, settings).catch(untriedWhenDenied);
  if ("kind" in probes) return probes;
  let untried: Proof = { kind: "untried", why: NO_NAMESPACE };
  let isRefused = false;
  const probeIn = async (probe: Probe): Promise<Proof> => {
    for (let tries = 0; ; tries++) {
      const proof = await tryPod(kube, probe, settings);
      const wait = WAITS[tries];
      if ((proof.kind !== "not-injected" && proof.kind !== "failed") || wait === undefined) return proof;
      report(`${PROGRESS[proof.kind]}; trying again in ${wait / 1000} s`);
      await sleep(wait);
    }
  };
  // A quota or a missing permission keeps pods from one namespace, and not from the next.
  for (const probe of probes) {
    try {
      return await probeIn(probe);
    } catch (error) {
      const found = untriedWhenDenied(error);
      // What an API server says of a pod is the better reason than a missing permission elsewhere.
      if (!isRefused) untried = found;
      isRefused ||= !isOwnError(error, "cluster-denied");
    }
  }
  return untried;
}

const PROGRESS = {
  "not-injected": "The API server admitted the pod without a sidecar",
  failed: "The API server's call of the webhook failed",
} as const;

type ProbeSettings = Pick<WebhookSettings, "revision" | "namespaces" | "enableNamespacesByDefault" | "injectionLabel">;

export interface Probe {
  readonly namespace: string;
  readonly namespaceLabels: Readonly<Record<string, string>>;
  /** The labels of a pod that the selectors choose there. */
  readonly labels: Readonly<Record<string, string>>;
}

export const NO_NAMESPACE = "no namespace lets a pod with a sidecar in for this revision";
/** Namespaces that are tried one after the other while creating pods is denied: roles may allow it in one of them only. */
const MOST_PROBES = 10;
const PREFERRED = ["default", PROBE_NAMESPACE];

/** The namespaces in which a pod can be tried, those that are made for it first. */
export async function findProbes(kube: KubeClient, settings: ProbeSettings): Promise<readonly Probe[]> {
  const { revision, namespaces, enableNamespacesByDefault, injectionLabel } = settings;
  const selects = selectionOf(selectorsOf(revision, namespaces, enableNamespacesByDefault, injectionLabel));
  const fit: Probe[] = [];
  for await (const { metadata } of kube.list("/api/v1/namespaces")) {
    const probe = isObject(metadata) ? podFor(metadata, selects, settings) : undefined;
    if (probe !== undefined) fit.push(probe);
  }
  const rank = ({ namespace }: Probe) => -PREFERRED.indexOf(namespace);
  return fit.toSorted((one, other) => rank(one) - rank(other)).slice(0, MOST_PROBES);
}

/** A pod that the selectors choose in this namespace, where there is one and its pod security would take a sidecar. */
function podFor(
  metadata: JsonObject,
  selects: ReturnType<typeof selectionOf>,
  { revision, injectionLabel }: ProbeSettings,
): Probe | undefined {
  const namespace = String(metadata["name"]);
  const labels = objectOf(metadata["labels"]) as Readonly<Record<string, string>>;
  const security = labels[metadataKeys.podSecurityLevel] ?? "privileged";
  if (systemNamespaces.has(namespace) || security !== "privileged") return undefined;
  const asks = { [injectionKeys(injectionLabel).inject]: "true" };
  const candidates =
    injectionLabel === undefined
      ? [asks, { ...asks, [metadataKeys.revision]: revision }]
      : [asks, { [injectionLabel]: revision }];
  const pod = candidates.find((podLabels) => selects(labels, podLabels));
  return pod === undefined ? undefined : { namespace, namespaceLabels: labels, labels: pod };
}

function createProbe(kube: KubeClient, { namespace, labels }: Probe, annotations: Readonly<Record<string, string>>) {
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { generateName: "outrigger-probe-", namespace, labels, annotations },
    spec: { containers: [{ name: "app", image: "registry.k8s.io/pause" }] },
  };
  return kube.createDryRun(`/api/v1/namespaces/${namespace}/pods`, pod);
}

/**
 * Where no template is for the pod, nothing shows that the webhook was asked. It denies a pod that names a template which no tree has,
 * whatever the phase: an API server passes denials on.
 */
async function tryUnknownTemplate(kube: KubeClient, probe: Probe, { injectionLabel }: ProbeSettings): Promise<Proof> {
  const { namespace } = probe;
  try {
    await createProbe(kube, probe, { [injectionKeys(injectionLabel).templates]: UNKNOWN_TEMPLATE });
  } catch (error) {
    const { message } = ownError(error);
    if (readRejection(message, { namespace }).cause === "own-denial") return { kind: "answered", namespace };
  }
  return { kind: "not-injected", namespace };
}

/** One try: a pod that comes back as it was is followed by one that the webhook denies, if it was asked. */
async function tryPod(kube: KubeClient, probe: Probe, settings: ProbeSettings): Promise<Proof> {
  const proof = await tryOnce(kube, probe, settings);
  if (proof.kind !== "not-injected") return proof;
  const asked = await tryUnknownTemplate(kube, probe, settings);
  if (asked.kind !== "answered") return proof;
  // The API server may have got the configuration between the two.
  const again = await tryOnce(kube, probe, settings);
  return again.kind === "not-injected" ? asked : again;
}

async function tryOnce(kube: KubeClient, probe: Probe, { injectionLabel }: ProbeSettings): Promise<Proof> {
  const { namespace } = probe;
  try {
    const made = await createProbe(kube, probe, {});
    const isInjected = metadataOf(made).annotations[injectionKeys(injectionLabel).status] !== undefined;
    return { kind: isInjected ? "injected" : "not-injected", namespace };
  } catch (error) {
    const { message, path: failed = "" } = ownError(error, "cluster-webhook-failed");
    if (failed === "") throw error;
    if (failed.endsWith(OWN_WEBHOOKS)) return { kind: "failed", message };
    // That another's fails proves nothing about ours.
    return { kind: "untried", why: `another webhook, "${failed}", rejects the pod: ${message}` };
  }
}

const OWN_WEBHOOKS = ".sidecar-injector.outrigger";

function untriedWhenDenied(error: unknown): Proof {
  const { message: why } = ownError(error, "cluster-denied", "cluster-refused", "cluster-list-expired");
  return { kind: "untried", why };
}
