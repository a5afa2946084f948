// The comparison of what is registered with what is in the cluster: record, tokens, objects, mesh config. Reads only.
import { defined, type JsonObject, metadataKeys, objectOf } from "@outrigger/base";
import type { Release } from "@outrigger/injector";
import { describeSkew, type MeshConfig, readMeshConfig } from "@outrigger/mesh";
import type { ClusterRecord } from "@outrigger/serving";
import { differences, findDrift } from "@outrigger/webhook";
import { imageTag, readIstiodsIfAllowed } from "../istio/read-istiods.ts";
import type { KubeClient } from "../kube/kube-client.ts";
import { findInstalled, type InstalledWebhook } from "../objects/installed-webhooks.ts";
import { pathOfObject } from "../objects/own-objects.ts";
import { keptUrl, planSettings } from "../register/plan-settings.ts";
import { builtObjects } from "../register/registration.ts";
import { digestOfToken, tokenInUse } from "../register/tokens.ts";

type Drift = ReturnType<typeof findDrift>[number];

export interface StatusQuestion {
  readonly cluster: string;
  readonly deployment: string;
  readonly record: ClusterRecord | undefined;
  /** Finds the URL where the deployment answers now: that of revisions for which none was given. */
  readonly findUrl: () => Promise<string>;
  readonly arn: string;
  readonly kubernetesVersion: string;
  /** The namespace of istiod; undefined where no release has a part in a mesh, and nothing is compared with one. */
  readonly istioNamespace: string | undefined;
  /** Returns the release that a channel serves, if it serves one. */
  readonly releaseOf: (channel: string) => Partial<Pick<Release, "meshConfig" | "config">> | undefined;
  /** The proxy's image that a channel's release injects, where it injects one. Without it, istiod's version is not asked for. */
  readonly proxyImageOf?: (channel: string) => string | undefined;
}

/** The differences between a cluster and its registration. */
export interface ClusterStatus {
  readonly revisions: readonly RevisionStatus[];
  readonly tokens: number;
  readonly drift: readonly Drift[];
  /** Notes on what is no difference but worth knowing: proxies that may follow their istiod, and what could not be read. */
  readonly notes: readonly string[];
}

type RevisionStatus = ReturnType<typeof revisionsOf>[number];

/**
 * Compares what is registered with what is in the cluster: the record, tokens, objects, the mesh config and, where the
 * question names the proxy's image, its release with istiod's. Reads only.
 *
 * @throws OutriggerError `cluster-denied` where this principal may not read what is compared, and what the client throws
 */
export async function clusterStatus(kube: KubeClient, question: StatusQuestion): Promise<ClusterStatus> {
  const { record, deployment, istioNamespace } = question;
  const installed = await findInstalled(kube, deployment);
  const revisions = revisionsOf(record, installed);
  const drift: Drift[] = [...recordDrift(question), ...tokenDrift(installed, record)];
  for (const { revision, channel } of revisions) {
    drift.push(...(await revisionDrift(kube, question, installed, revision)));
    const meshConfig = question.releaseOf(channel)?.meshConfig;
    if (meshConfig === undefined || istioNamespace === undefined) continue;
    drift.push(...(await compareMesh(kube, istioNamespace, revision, meshConfig)));
  }
  const proxies = await compareProxies(kube, question, revisions);
  return { revisions, tokens: record?.tokens.length ?? 0, drift: [...drift, ...proxies.drift], notes: proxies.notes };
}

/** The releases of the proxies that are injected, against the istiod that each revision's proxies connect to. */
async function compareProxies(
  kube: KubeClient,
  { istioNamespace, proxyImageOf }: StatusQuestion,
  revisions: readonly RevisionStatus[],
): Promise<Pick<ClusterStatus, "drift" | "notes">> {
  if (proxyImageOf === undefined || istioNamespace === undefined) return { drift: [], notes: [] };
  const istiods = await readIstiodsIfAllowed(kube, istioNamespace);
  if (istiods === undefined) return { drift: [], notes: [DENIED] };
  const drift: Drift[] = [];
  const notes: string[] = [];
  for (const { revision, channel } of revisions) {
    const image = proxyImageOf(channel);
    const istiod = istiods.find((one) => one.revision === revision);
    if (image === undefined || istiod === undefined) continue;
    const { kind, message } = describeSkew(imageTag(image), imageTag(istiod.image));
    if (kind === "supported") notes.push(`revision ${revision}: ${message}`);
    if (kind !== "proxies-ahead" && kind !== "proxies-behind") continue;
    const expected = "a release that their istiod supports";
    drift.push({ place: `proxies of revision ${revision}`, expected, actual: message });
  }
  return { drift, notes };
}

const DENIED =
  "istiod's version was not compared: listing deployments is denied; see outrigger print rbac registration";

function revisionsOf(record: ClusterRecord | undefined, installed: readonly InstalledWebhook[]) {
  const names = new Set([...Object.keys(record?.revisions ?? {}), ...installed.map(({ revision }) => revision)]);
  return [...names].map((revision) => {
    const own = installed.find((webhook) => webhook.revision === revision && webhook.tag === undefined);
    const tags = installed.flatMap((webhook) => (webhook.revision === revision && webhook.tag ? [webhook.tag] : []));
    return {
      revision,
      channel: record?.revisions[revision] ?? "",
      tags,
      phase: own?.settings?.phase ?? "",
      ...defined({ off: own?.off }),
    };
  });
}

function recordDrift({ cluster, record, arn, kubernetesVersion }: StatusQuestion): readonly Drift[] {
  if (record === undefined) return [{ place: `record of ${cluster}`, expected: "to be there", actual: "missing" }];
  const fields: readonly Drift[] = [
    { place: "arn", expected: arn, actual: record.arn },
    { place: "kubernetesVersion", expected: kubernetesVersion, actual: record.kubernetesVersion ?? "nothing" },
  ];
  const differing = fields.filter(({ expected, actual }) => expected !== actual);
  return differing.map((field) => ({ ...field, place: `record of ${cluster}: ${field.place}` }));
}

/** Calls with a token that is not live are answered like those with none. */
function tokenDrift(installed: readonly InstalledWebhook[], record: ClusterRecord | undefined): readonly Drift[] {
  const live = new Set(record?.tokens.map(({ sha256 }) => sha256));
  return installed
    .filter(({ token }) => token === undefined || !live.has(digestOfToken(token)))
    .map(({ name }) => ({ place: `${name}: token`, expected: "a live one", actual: "one that is not registered" }));
}

/** Objects as they would be if the cluster were registered again now, against those that are there. */
async function revisionDrift(
  kube: KubeClient,
  { deployment, findUrl, record, cluster, releaseOf }: StatusQuestion,
  installed: readonly InstalledWebhook[],
  revision: string,
): Promise<readonly Drift[]> {
  const own = installed.find((webhook) => webhook.revision === revision && webhook.tag === undefined);
  if (own === undefined) {
    return [{ place: `webhook of revision ${revision}`, expected: "to be there", actual: "missing" }];
  }
  if (own.settings === undefined) {
    return [{ place: `${own.name}: annotation outrigger/settings`, expected: "what was asked for", actual: "damaged" }];
  }
  const token = own.token ?? tokenInUse(installed, record) ?? ANY_TOKEN;
  const url = keptUrl(revision, installed, record) ?? (await findUrl());
  const injection = releaseOf(record?.revisions[revision] ?? "")?.config;
  const settings = planSettings(deployment, { url, revision }, installed, token, defined({ injection }));
  const { network, injectionLabel } = settings;
  if (own.settings.injectionLabel !== injectionLabel) {
    const [expected = ISTIOS, actual = ISTIOS] = [injectionLabel, own.settings.injectionLabel];
    return [{ place: `label by which webhooks of revision ${revision} select`, expected, actual }];
  }
  const drift: Drift[] = [];
  if (record !== undefined && network !== undefined && record.network !== network) {
    drift.push({ place: `record of ${cluster}: network`, expected: network, actual: record.network ?? "nothing" });
  }
  for (const object of builtObjects(settings)) {
    const actual = await kube.get(pathOfObject(object));
    drift.push(...findDrift(object, actual));
  }
  return drift;
}

/** How Outrigger selects pods where the config has no label of its own. */
const ISTIOS = metadataKeys.inject;

const ANY_TOKEN = "A".repeat(43);

/** The parts of a mesh config that are rendered into a sidecar; only istiod uses the rest. */
const FIELDS = [
  "defaultConfig",
  "rootNamespace",
  "trustDomain",
  "proxyListenPort",
  "proxyInboundListenPort",
  "enablePrometheusMerge",
  "inboundTrafficPolicy",
] as const;

/**
 * The differences between istiod's mesh config and the release's. istiod keeps it in `istio`, and `istio-<revision>` for another revision than
 * the default; without one, nothing can be compared.
 *
 * @throws OutriggerError `mesh-invalid` or `yaml-invalid` for a text that cannot be read
 */
async function compareMesh(kube: KubeClient, namespace: string, revision: string, ours: MeshConfig) {
  const name = revision === "default" ? "istio" : `istio-${revision}`;
  const configMap = await kube.get(`/api/v1/namespaces/${encodeURIComponent(namespace)}/configmaps/${name}`);
  const text = objectOf(configMap?.["data"])["mesh"];
  if (typeof text !== "string") return [];
  const { meshConfig } = readMeshConfig([text], "istiod's ConfigMap, key mesh");
  const pick = (from: MeshConfig): JsonObject => Object.fromEntries(FIELDS.map((field) => [field, from[field]]));
  return differences(pick(meshConfig), pick(ours), "mesh config");
}
