// Gathering what the checks judge of a cluster, its mesh and its pods. A source that another one is built on and that
// cannot be read is the reason for both.

import { defined, OutriggerError } from "@outrigger/base";
import type { ClusterFacts, KubeClient, Outdated } from "@outrigger/cluster";
import {
  clusterStatus,
  digestOfToken,
  type Fact,
  findInstalled,
  findUninjected,
  type InstalledWebhook,
  learn,
  need,
  readDryRuns,
  readIstiods,
  readNamespaces,
  readNet,
  readPermissions,
  readRivals,
  readVersion,
} from "@outrigger/cluster";
import { decide } from "@outrigger/injector";
import type { ClusterRecord } from "@outrigger/serving";
import { DEFAULT_REVISION } from "@outrigger/webhook";
import { connectCluster, readClusterRecord } from "../connect/connect-cluster.ts";
import type { Deployment } from "../connect/deployment.ts";
import { connectContext } from "../connect/kubeconfig-access.ts";
import { readClusters } from "../releases/read-records.ts";
import { readServed } from "../releases/read-served.ts";
import type { Io } from "../terminal/io.ts";
import type { CheckTarget } from "./collect-facts.ts";
import { injectionsOf, outdatedPods, proxyImagesOf, type ReleaseFor, samplesOf } from "./served-injection.ts";

export interface ClusterQuestion {
  readonly deployment: Deployment;
  readonly options: CheckTarget;
  readonly url: Fact<string>;
  readonly isEarly: boolean;
  readonly io: Io;
}

interface Opened {
  readonly kube: KubeClient;
  /** As EKS says; missing where the cluster is reached by a kubeconfig. */
  readonly arn?: string;
  readonly kubernetesVersion?: string;
}

interface Registered {
  readonly name: string;
  readonly record: ClusterRecord | undefined;
}

/** Everything about the cluster that the command line names. */
export async function collectCluster(question: ClusterQuestion): Promise<ClusterFacts> {
  const { deployment, options, isEarly, io } = question;
  const { stage } = deployment.target;
  const opened = await learn(() => open(question));
  const ask = <Value>(read: (kube: KubeClient) => Promise<Value>) => learn(async () => read(need(opened).kube));
  const later = <Value>(read: (kube: KubeClient) => Promise<Value>) =>
    isEarly ? Promise.resolve(NOT_ASKED) : ask(read);
  const installed = await ask((kube) => findInstalled(kube, stage));
  const registered = await learn(() => findRecord(question, installed.known ? installed.value : []));
  const served = await learn(() => readServed(deployment));
  const releaseFor: ReleaseFor = (revision) => {
    const { record } = need(registered);
    return need(served)(record?.revisions[revision] ?? "stable");
  };
  const injections = await learn(async () => injectionsOf(need(installed), need(registered).record, releaseFor));
  const outdated: Outdated[] = [];
  const [access, status, rivals, permissions, net, dryRuns, istiods, audit] = await Promise.all([
    ask(async (kube) => ({ version: await readVersion(kube), ...defined({ arn: need(opened).arn }) })),
    later((kube) => statusOf(kube, need(opened), need(registered), need(served), question)),
    ask(async (kube) => readRivals(kube, stage, need(installed), await readNamespaces(kube))),
    ask((kube) => readPermissions(kube, need(installed), options.istioNamespace)),
    ask((kube) => readNet(kube, stage)),
    later(async (kube) => {
      const webhook = need(installed).find(({ tag }) => tag === undefined);
      if (webhook === undefined) throw new OutriggerError("cluster-unknown", "no webhook is registered");
      const release = releaseFor(webhook.revision);
      return readDryRuns(kube, webhook, await samplesOf(deployment, release, io));
    }),
    ask((kube) => readIstiods(kube, options.istioNamespace)),
    later((kube) =>
      findUninjected(
        kube,
        (revision, pod, namespace) => {
          const release = releaseFor(revision);
          return release === undefined ? undefined : decide(release.config, pod, namespace);
        },
        undefined,
        outdatedPods(injections, (found) => void outdated.push(found)),
      ),
    ),
  ]);
  return {
    name: registered.known ? registered.value.name : nameOf(options),
    access,
    record: registered.known ? { known: true, value: registered.value.record } : registered,
    installed,
    status,
    rivals,
    permissions,
    net,
    dryRuns,
    istiods,
    proxyImages: await learn(async () =>
      proxyImagesOf(releaseFor, Object.keys(need(registered).record?.revisions ?? { [DEFAULT_REVISION]: "" })),
    ),
    audit,
    outdated: await learn(async () => {
      need(audit);
      need(injections);
      return outdated;
    }),
  };
}

const NOT_ASKED = { known: false, why: "not before the cluster is registered" } as const;

function nameOf({ as, cluster, context }: CheckTarget): string {
  return as ?? cluster ?? context ?? "";
}

/** Connects to the cluster by its name in EKS, or by a context of a kubeconfig. */
async function open({ deployment, options, io }: ClusterQuestion): Promise<Opened> {
  const { cluster } = options;
  if (cluster === undefined) return { kube: (await connectContext(options, io)).kube };
  const { description, kube } = await connectCluster(deployment, { ...options, cluster });
  return { kube, arn: description.arn, kubernetesVersion: description.kubernetesVersion };
}

/** By a context, a cluster's record is the one that has the token of its webhooks. */
async function findRecord(
  { deployment, options, io }: ClusterQuestion,
  installed: readonly InstalledWebhook[],
): Promise<Registered> {
  const name = nameOf(options);
  if (options.cluster !== undefined || options.as !== undefined) {
    return { name, record: await readClusterRecord(deployment, name) };
  }
  const digests = installed.flatMap(({ token }) => (token === undefined ? [] : [digestOfToken(token)]));
  const all = Object.entries(await readClusters(deployment, io));
  const found = all.find(([, { tokens }]) => tokens.some(({ sha256 }) => digests.includes(sha256)));
  return { name: found?.[0] ?? name, record: found?.[1] };
}

function statusOf(
  kube: KubeClient,
  { arn, kubernetesVersion }: Opened,
  { name, record }: Registered,
  served: Awaited<ReturnType<typeof readServed>>,
  { deployment, options, url }: ClusterQuestion,
) {
  return clusterStatus(kube, {
    cluster: name,
    deployment: deployment.target.stage,
    record,
    url: need(url),
    arn: arn ?? record?.arn ?? "",
    kubernetesVersion: kubernetesVersion ?? record?.kubernetesVersion ?? "",
    istioNamespace: options.istioNamespace,
    meshConfigOf: (channel) => served(channel)?.meshConfig,
    injectionOf: (channel) => served(channel)?.config,
  });
}
