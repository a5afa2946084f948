// `outrigger check`: from the options to the results. Loaded only when the command runs, because the checks need the SDK.
import { defined, OutriggerError, usageError } from "@outrigger/base";
import type { CheckPorts, CheckResult, KubeClient } from "@outrigger/cluster";
import { clusterStatus, findInstalled, injectedProxyImage, recordOf, runChecks, runningPods } from "@outrigger/cluster";
import type { NamedPod } from "@outrigger/injector";
import { countRunning, isOutdated, unsampledBranches } from "@outrigger/rollouts";
import { proxyAgents } from "../connect/choose-proxy.ts";
import {
  connectCluster,
  connectClusterToRead,
  deploymentClients,
  watchDeployment,
} from "../connect/connect-cluster.ts";
import { type Deployment, openDeployment } from "../connect/deployment.ts";
import { connectContext } from "../connect/kubeconfig-access.ts";
import { awsFlags } from "../options/aws-options.ts";
import type { RunningOptions } from "../options/cluster-options.ts";
import { readChannels, readClusterRecord, readClusters } from "../releases/read-records.ts";
import { readServed } from "../releases/read-served.ts";
import { sourceDifference } from "../releases/source-difference.ts";
import { ecrEndpoint } from "../releases/verify-tree.ts";
import { judgeCluster } from "../rollouts/running-cluster.ts";
import type { Io } from "../terminal/io.ts";
import { printResult, table } from "../terminal/print.ts";
import { shippedTree } from "../tree/read-trees.ts";

export interface CheckTarget extends RunningOptions {
  readonly json?: true;
  readonly url?: string;
  readonly istioNamespace: string;
  readonly verify?: true;
}

export async function checkTarget(options: CheckTarget, io: Io, isEarly: boolean): Promise<readonly CheckResult[]> {
  return runChecks(await checkPorts(options, io, isEarly));
}

async function checkPorts(options: CheckTarget, io: Io, isEarly: boolean): Promise<CheckPorts> {
  const deployment = await openDeployment(options, io);
  const { store, target } = deployment;
  const url = options.url ?? io.env["OUTRIGGER_URL"];
  return {
    deployment: target.stage,
    store,
    layout: target.layout,
    aws: await deploymentClients(deployment, io.env),
    caller: async () => {
      const [account = "", region = ""] = (await deployment.place()).split("/");
      return { who: await deployment.caller(), account, region };
    },
    readChannels: () => readChannels(deployment, io),
    readClusters: () => readClusters(deployment, io),
    readRecord: (cluster) => readClusterRecord(deployment, cluster),
    readServed: () => readServed(deployment),
    sourceDifference: (channels) => sourceDifference(channels, deployment, io),
    shippedTree: () => shippedTree(io),
    istioNamespace: options.istioNamespace,
    agentFor: proxyAgents(process.env),
    readRunning: (kube, samples) => readRunningFacts(deployment, kube, samples, io),
    flags: awsFlags(target),
    isEarly,
    now: Date.now,
    ...(options.verify === true && { names: { ecrEndpoint: ecrEndpoint(process.env) } }),
    ...defined({ url, cluster: checkedCluster(deployment, options, io) }),
  };
}

async function readRunningFacts(deployment: Deployment, kube: KubeClient, samples: readonly NamedPod[], io: Io) {
  const { name, unjudged, ...cluster } = await judgeCluster(deployment, kube, undefined, io);
  const { note, counted } = unsampledBranches({ name, ...cluster }, samples, cluster.servedRelease);
  async function* read() {
    for await (const pod of runningPods(kube)) {
      await note(pod);
      yield pod;
    }
  }
  const { workloads, pods, injected, uninjected, unlabelled } = await countRunning(read(), cluster);
  const outdated = workloads.flatMap(({ namespace, kind, name, example }) => {
    // Pods without a sidecar have a check of their own.
    if (example === undefined || example.verdict.state === "missing" || !isOutdated({ example })) return [];
    const { verdict } = example;
    const fields = "changes" in verdict ? verdict.changes.map(({ field }) => field).slice(0, 3) : [verdict.state];
    return [`${namespace}/${kind}/${name}: ${fields.join(", ")}`];
  });
  return {
    pods,
    injected,
    uninjected,
    unlabelled,
    workloads: workloads.length,
    outdated,
    unsampled: counted(),
    ...defined({ unjudged: unjudged?.message }),
  };
}

function checkedCluster(deployment: Deployment, options: CheckTarget, io: Io): CheckPorts["cluster"] {
  const { cluster, context } = options;
  if (cluster === undefined && context === undefined) return undefined;
  return {
    ...defined({ eksName: cluster, registeredAs: options.as ?? cluster, context }),
    connect: async () => {
      if (cluster === undefined) return { kube: await connectContext(options, io) };
      const { description, kube } = await connectCluster(deployment, { ...options, cluster }, io);
      return { kube, arn: description.arn, kubernetesVersion: description.kubernetesVersion };
    },
  };
}

/**
 * `outrigger check --section registration`: whether a cluster matches its registration, with every difference.
 *
 * @throws OutriggerError `findings` where something differs
 */
export async function printRegistration(options: CheckTarget, io: Io): Promise<void> {
  if (options.cluster === undefined && options.context === undefined) {
    throw usageError("--section registration is about a cluster: name it with --cluster, or --context");
  }
  const deployment = await openDeployment(options, io);
  const { findUrl } = await watchDeployment(deployment, io.env);
  const { kube, ...registered } = await findRegistration(deployment, options, io);
  const served = await readServed(deployment);
  const status = await clusterStatus(kube, {
    ...registered,
    deployment: deployment.target.stage,
    findUrl: async () => options.url ?? (await findUrl()),
    istioNamespace: options.istioNamespace,
    releaseOf: served,
    proxyImageOf: (channel) => {
      const release = served(channel);
      return release === undefined ? undefined : injectedProxyImage(release);
    },
  });
  printResult(io, options.json, status, textOf(status));
  const { length } = status.drift;
  if (length === 0) return;
  const { cluster } = registered;
  throw new OutriggerError(
    "findings",
    `${cluster} differs from its registration in ${length === 1 ? "one place" : `${length} places`}: run outrigger register --cluster ${options.cluster ?? cluster} to repair the cluster`,
  );
}

/** Finds the registration of a cluster: by its name in EKS, which says its ARN and version, or, by a context alone, by the token of its webhooks. */
async function findRegistration(deployment: Deployment, options: CheckTarget, io: Io) {
  const { cluster: eksName } = options;
  if (eksName !== undefined) {
    const { description, kube } = await connectClusterToRead(deployment, { ...options, cluster: eksName }, io);
    const cluster = options.as ?? eksName;
    const { arn, kubernetesVersion } = description;
    return { kube, cluster, record: await readClusterRecord(deployment, cluster), arn, kubernetesVersion };
  }
  const kube = await connectContext(options, io);
  const installed = await findInstalled(kube, deployment.target.stage);
  const found = recordOf(installed, await readClusters(deployment, io));
  const { arn = "", kubernetesVersion = "nothing" } = found?.record ?? {};
  return { kube, cluster: found?.name ?? options.as ?? kube.name, record: found?.record, arn, kubernetesVersion };
}

function textOf({ revisions, tokens, drift, notes }: Awaited<ReturnType<typeof clusterStatus>>): string {
  const rows = revisions.map(({ revision, tags, channel, phase, off }) => [
    revision,
    tags.join(",") || "-",
    channel || "-",
    off === undefined ? phase || "-" : `${phase}, off since ${off}`,
  ]);
  const differences = drift.map(({ place, expected, actual }) => [place, expected, actual]);
  return [
    rows.length === 0 ? "" : table(["REVISION", "TAGS", "CHANNEL", "PHASE"], rows),
    tokens > 1 ? "Two tokens are live: run outrigger token rotate to finish the rotation\n" : "",
    ...notes.map((note) => `${note}\n`),
    differences.length === 0 ? "No difference\n" : `\n${table(["PLACE", "SHOULD BE", "IS"], differences)}`,
  ].join("");
}
