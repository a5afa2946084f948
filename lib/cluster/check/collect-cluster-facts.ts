// Gathering what the checks judge of a cluster, its mesh and its pods. A source that another one is built on and that
// cannot be read is the reason for both.
import { DEFAULT_REVISION, defined, OutriggerError } from "@outrigger/base";
import type { ClusterRecord } from "@outrigger/serving";
import { readCreationFailures } from "../admission/creation-failures.ts";
import { readIstiods } from "../istio/read-istiods.ts";
import type { KubeClient } from "../kube/kube-client.ts";
import { injectedNames, verifyAddresses } from "../names/verify-names.ts";
import { findInstalled, type InstalledWebhook } from "../objects/installed-webhooks.ts";
import { readNamespaces } from "../pods/running-pods.ts";
import { recordOf } from "../register/tokens.ts";
import { clusterStatus } from "../status/cluster-status.ts";
import type { CheckedCluster, CheckPorts } from "./check-ports.ts";
import { readDryRuns, selectedNamespaces, tryWorkloads, webhooksOfNamespaces } from "./dry-runs.ts";
import type { ClusterFacts } from "./facts.ts";
import { type Fact, learn, need } from "./finding.ts";
import { readConflictingWebhooks, readNet, readPermissions, readVersion } from "./read-cluster.ts";
import { layersOf, proxyImagesOf, type ReleaseFor, samplesOf } from "./served-injection.ts";

interface Registered {
  readonly name: string;
  readonly record: ClusterRecord | undefined;
}

/** Everything about one cluster. */
export async function collectCluster(
  ports: CheckPorts,
  target: CheckedCluster,
  url: Fact<string>,
): Promise<ClusterFacts> {
  const { deployment: stage, istioNamespace, isEarly } = ports;
  const opened = await learn(target.connect);
  const ask = <Value>(read: (kube: KubeClient) => Promise<Value>) => learn(async () => read(need(opened).kube));
  const later = <Value>(read: (kube: KubeClient) => Promise<Value>) =>
    isEarly ? Promise.resolve(NOT_ASKED) : ask(read);
  const installed = await ask((kube) => findInstalled(kube, stage));
  const registered = await learn(() => findRecord(ports, target, installed.known ? installed.value : []));
  const served = await learn(ports.readServed);
  const releaseFor: ReleaseFor = (revision) => {
    const { record } = need(registered);
    return need(served)(record?.revisions[revision] ?? "stable");
  };
  const namespaces = await ask(readNamespaces);
  const creationFailures = await later((kube) => readCreationFailures(kube));
  const selected = await learn(async () => selectedNamespaces(need(installed), need(namespaces)));
  const [access, status, conflictingWebhooks, permissions, net, dryRuns, istiods, running, workloads, otherWebhooks] =
    await Promise.all([
      ask(async (kube) => ({ version: await readVersion(kube), ...defined({ arn: need(opened).arn }) })),
      later((kube) => {
        const { arn, kubernetesVersion } = need(opened);
        const { name, record } = need(registered);
        const releaseOf = need(served);
        return clusterStatus(kube, {
          cluster: name,
          deployment: stage,
          record,
          url: need(url),
          arn: arn ?? record?.arn ?? "",
          kubernetesVersion: kubernetesVersion ?? record?.kubernetesVersion ?? "",
          istioNamespace,
          meshConfigOf: (channel) => releaseOf(channel)?.meshConfig,
          injectionOf: (channel) => releaseOf(channel)?.config,
        });
      }),
      ask(async (kube) => readConflictingWebhooks(kube, stage, need(installed), need(namespaces))),
      ask((kube) => readPermissions(kube, need(installed), istioNamespace)),
      ask((kube) => readNet(kube, stage)),
      later(async (kube) => {
        const webhook = need(installed).find(({ tag }) => tag === undefined);
        if (webhook === undefined) throw new OutriggerError("cluster-unknown", "no webhook is registered");
        const release = releaseFor(webhook.revision);
        return readDryRuns(kube, webhook, await samplesOf(ports, release));
      }),
      ask((kube) => readIstiods(kube, istioNamespace)),
      later(ports.readRunning),
      later((kube) => {
        const failing = creationFailures.known ? creationFailures.value.map(({ namespace }) => namespace) : [];
        return tryWorkloads(kube, need(installed), need(selected), failing, releaseFor);
      }),
      later((kube) => webhooksOfNamespaces(kube, need(selected))),
    ]);
  const revisions = () => Object.keys(need(registered).record?.revisions ?? { [DEFAULT_REVISION]: "" });
  const addresses = async (kube: KubeClient) => {
    const releases = revisions().flatMap((revision) => releaseFor(revision) ?? []);
    return verifyAddresses(kube, injectedNames(releases, await layersOf(ports)).addresses);
  };
  return {
    name: registered.known ? registered.value.name : nameOf(target),
    access,
    record: registered.known ? { known: true, value: registered.value.record } : registered,
    installed,
    status,
    conflictingWebhooks,
    permissions,
    net,
    dryRuns,
    workloads,
    otherWebhooks,
    creationFailures,
    istiods,
    ...defined({ addresses: ports.names === undefined ? undefined : await ask(addresses) }),
    proxyImages: await learn(async () => proxyImagesOf(releaseFor, revisions())),
    running,
  };
}

const NOT_ASKED = { known: false, why: "not before the cluster is registered" } as const;

function nameOf({ registeredAs, context }: CheckedCluster): string {
  return registeredAs ?? context ?? "";
}

/** By a context, a cluster's record is the one that has the token of its webhooks. */
async function findRecord(
  { readRecord, readClusters }: CheckPorts,
  target: CheckedCluster,
  installed: readonly InstalledWebhook[],
): Promise<Registered> {
  const name = nameOf(target);
  if (target.registeredAs !== undefined) return { name, record: await readRecord(name) };
  return recordOf(installed, await readClusters()) ?? { name, record: undefined };
}
