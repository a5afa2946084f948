// Gathering what the checks judge of a cluster, its mesh and its pods. A source that another one is built on and that
// cannot be read is the reason for both.
import { DEFAULT_REVISION, defined, OutriggerError, once, ownError } from "@outrigger/base";
import type { Release, SourceTree } from "@outrigger/injector";
import { samplePods } from "@outrigger/injector";
import { readSourceParameters } from "@outrigger/publisher";
import { readLastingFailures } from "../admission/creation-failures.ts";
import { allOf, type Fact, learn, need } from "../fact.ts";
import { injectedProxyImage, istioNamespaceFor } from "../istio/part-in-mesh.ts";
import { readIstiods } from "../istio/read-istiods.ts";
import type { KubeClient } from "../kube/kube-client.ts";
import { injectedNames, verifyAddresses } from "../names/verify-names.ts";
import { findInstalled, type InstalledWebhook } from "../objects/installed-webhooks.ts";
import { readNamespaces } from "../pods/running-pods.ts";
import { recordOf } from "../register/tokens.ts";
import { clusterStatus } from "../status/cluster-status.ts";
import type { CheckedCluster, CheckPorts } from "./check-ports.ts";
import { readDryRuns, selectedNamespaces, tryWorkloads, webhooksOfNamespaces } from "./dry-runs.ts";
import { readConflictingWebhooks, readNet, readPermissions, readVersion } from "./read-cluster.ts";

export type ClusterFacts = Awaited<ReturnType<typeof collectCluster>>;

export async function collectCluster(ports: CheckPorts, target: CheckedCluster, url: Fact<string>) {
  const { deployment: stage, isEarly } = ports;
  const opened = await learn(target.connect);
  const ask = <Value>(read: (kube: KubeClient) => Promise<Value>) => learn(async () => read(need(opened).kube));
  const later = <Value>(read: (kube: KubeClient) => Promise<Value>) =>
    isEarly ? Promise.resolve(NOT_ASKED) : ask(read);
  const layers = once(() => layersOf(ports));
  const samples = async () => samplePods(await layers());
  const installed = await ask((kube) => findInstalled(kube, stage));
  const registered = await learn(() => findRecord(ports, target, installed.known ? installed.value : []));
  const served = await learn(ports.readServed);
  const channelOf = (revision: string) => need(registered).record?.revisions[revision] ?? "stable";
  const releaseFor: ReleaseFor = (revision) => need(served)(channelOf(revision));
  const revisions = () => Object.keys(need(registered).record?.revisions ?? { [DEFAULT_REVISION]: "" });
  const addsProxy = (revision: string) => {
    const release = releaseFor(revision);
    return release === undefined || injectedProxyImage(release) !== undefined;
  };
  const mesh = await learn(async () =>
    istioNamespaceFor(revisions().map(channelOf), need(served), ports.istioNamespace),
  );
  // Of releases that are not known, nothing is left out.
  const istioNamespace = mesh.known ? mesh.value : ports.istioNamespace;
  /** The webhooks that are there, or that registering makes. */
  const planned = (): Parameters<typeof readConflictingWebhooks>[2] => {
    if (need(installed).length > 0) return need(installed);
    const label = served.known ? releaseFor(DEFAULT_REVISION)?.config.injectionLabel : undefined;
    return [{ revision: DEFAULT_REVISION, settings: { namespaces: [], ...defined({ injectionLabel: label }) } }];
  };
  const namespaces = await ask(readNamespaces);
  const creationFailures = await later((kube) => readLastingFailures(kube));
  const selected = await learn(async () => selectedNamespaces(need(installed), need(namespaces)));
  const read = await allOf({
    access: ask(async (kube) => ({ version: await readVersion(kube), ...defined({ arn: need(opened).arn }) })),
    status: later((kube) => {
      const { arn, kubernetesVersion } = need(opened);
      const { name, record } = need(registered);
      return clusterStatus(kube, {
        cluster: name,
        deployment: stage,
        record,
        findUrl: async () => need(url),
        arn: arn ?? record?.arn ?? "",
        kubernetesVersion: kubernetesVersion ?? record?.kubernetesVersion ?? "",
        istioNamespace,
        releaseOf: need(served),
      });
    }),
    conflictingWebhooks: ask(async (kube) => ({
      found: await readConflictingWebhooks(kube, stage, planned(), need(namespaces)),
      // A release without it is not what takes the place of Istio's webhook.
      addsProxy: !registered.known || !served.known || revisions().every(addsProxy),
    })),
    permissions: ask(async (kube) => ({
      // Before registering, what registering needs; afterwards, what the checks need.
      needed: isEarly ? ("register" as const) : ("check" as const),
      asked: await readPermissions(kube, need(installed), istioNamespace),
    })),
    net: ask((kube) => readNet(kube, stage)),
    dryRuns: later(async (kube) => {
      const webhook = need(installed).find(({ tag }) => tag === undefined);
      if (webhook === undefined) throw new OutriggerError("cluster-unknown", "no webhook is registered");
      return readDryRuns(kube, webhook, await samples(), releaseFor(webhook.revision));
    }),
    istiods: ask(async (kube) => (istioNamespace === undefined ? [] : readIstiods(kube, istioNamespace))),
    running: later(async (kube) => ports.readRunning(kube, await samples())),
    workloads: later((kube) => {
      const failing = creationFailures.known ? creationFailures.value.map(({ namespace }) => namespace) : [];
      return tryWorkloads(kube, need(installed), need(selected), failing, releaseFor);
    }),
    /** Webhooks of others that are called for pods of the namespaces that ours select. */
    otherWebhooks: later((kube) => webhooksOfNamespaces(kube, need(selected))),
  });
  const addresses = async (kube: KubeClient) => {
    const releases = revisions().flatMap((revision) => releaseFor(revision) ?? []);
    return verifyAddresses(kube, injectedNames(releases, await layers()).addresses);
  };
  const { name, record } = registered.known ? registered.value : { name: nameOf(target), record: undefined };
  return {
    /** The record's name. */
    name,
    record: registered.known ? { ...registered, value: record } : registered,
    installed,
    creationFailures,
    ...read,
    /** Whether no release that is served has a part in a mesh, be there one or not. */
    isWithoutMesh: istioNamespace === undefined,
    /** The addresses where proxies look for istiod; left out where nobody asked for them. */
    ...defined({ addresses: ports.names === undefined ? undefined : await ask(addresses) }),
    /** Revision → the proxy's image, where the release that it serves injects one. */
    proxyImages: await learn(async () => {
      const pairs = revisions().flatMap((revision) => {
        const release = releaseFor(revision);
        const image = release && injectedProxyImage(release);
        return image === undefined ? [] : [[revision, image] as const];
      });
      return Object.fromEntries(pairs);
    }),
  };
}

const NOT_ASKED = { known: false, why: "not before the cluster is registered" } as const;

function nameOf({ registeredAs, context }: CheckedCluster): string {
  return registeredAs ?? context ?? "";
}

/** Finds the record of a cluster: of one that a context names, the record that has the token of its webhooks. */
async function findRecord(
  { readRecord, readClusters }: CheckPorts,
  target: CheckedCluster,
  installed: readonly InstalledWebhook[],
) {
  const name = nameOf(target);
  if (target.registeredAs !== undefined) return { name, record: await readRecord(name) };
  return recordOf(installed, await readClusters()) ?? { name, record: undefined };
}

type ReleaseFor = (revision: string) => Release | undefined;

/** The shipped tree and the source, where that can be read. */
export async function layersOf({ store, layout, shippedTree }: CheckPorts): Promise<readonly SourceTree[]> {
  const own = await readSourceParameters(store, layout).catch((error: unknown) => {
    ownError(error);
    return { tree: {} };
  });
  return [await shippedTree(), own.tree];
}
