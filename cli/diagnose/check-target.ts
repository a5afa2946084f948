// `outrigger check`: from the options to the results. Loaded only when the command runs, because the checks need the SDK.
import { DEFAULT_REVISION, defined, once, usageError } from "@outrigger/base";
import type { CheckPorts, CheckResult, KubeClient } from "@outrigger/cluster";
import {
  clusterStatus,
  collectDeployment,
  findInstalled,
  injectedProxyImage,
  istioNamespaceFor,
  recordOf,
  runChecks,
  runningPods,
} from "@outrigger/cluster";
import type { NamedPod } from "@outrigger/injector";
import { countRunning, unsampledBranches } from "@outrigger/rollouts";
import { proxyAgents } from "../connect/choose-proxy.ts";
import {
  connectCluster,
  connectClusterToRead,
  deploymentClients,
  watchDeployment,
} from "../connect/connect-cluster.ts";
import { type Deployment, openDeployment } from "../connect/deployment.ts";
import { connectContext } from "../connect/kubeconfig-access.ts";
import { openFleet } from "../fleet/open-fleet.ts";
import { printEach } from "../fleet/print-each.ts";
import type { SelectedCluster } from "../fleet/select-clusters.ts";
import { sharedReads } from "../fleet/shared-reads.ts";
import { awsFlags } from "../options/aws-options.ts";
import type { RunningOptions } from "../options/cluster-options.ts";
import type { SelectionOptions } from "../options/selection-options.ts";
import { readChannels, readClusterRecord, readClusters } from "../releases/read-records.ts";
import { readServed } from "../releases/read-served.ts";
import { sourceDifference } from "../releases/source-difference.ts";
import { ecrEndpoint } from "../releases/verify-tree.ts";
import { judgeCluster, type Serving, servingOf } from "../rollouts/running-cluster.ts";
import type { Io } from "../terminal/io.ts";
import { printResult } from "../terminal/print.ts";
import { shippedTree } from "../tree/read-trees.ts";
import {
  checkAnswer,
  outdatedText,
  placeFlags,
  registrationAnswer,
  registrationFinding,
  registrationText,
} from "./check-answers.ts";

export interface CheckTarget extends RunningOptions {
  readonly json?: true;
  readonly url?: string;
  readonly istioNamespace: string;
  readonly verify?: true;
}

export async function checkTarget(options: CheckTarget, io: Io, isEarly: boolean): Promise<readonly CheckResult[]> {
  const deployment = await openDeployment(options, io);
  const ports = await checkPorts(deployment, options, io, isEarly);
  return runChecks({ ...ports, ...defined({ cluster: checkedCluster(deployment, options, io) }) });
}

/**
 * Checks the clusters that the options select, and their deployment once: its row is the first.
 *
 * @throws OutriggerError with the exit code of the worst
 */
export async function checkFleet(
  options: CheckTarget & SelectionOptions & { readonly isEarly: boolean },
  io: Io,
): Promise<void> {
  const { clusters, ...opened } = await openFleet(options, io);
  const deployment = sharedReads(opened.deployment);
  const ports = await checkPorts(deployment, options, io, options.isEarly);
  const facts = once(() => collectDeployment(ports));
  const own: SelectedCluster = { name: `(deployment ${deployment.target.stage})`, place: {} };
  const ask = async ({ place }: SelectedCluster) => {
    const cluster = checkedCluster(deployment, { ...options, ...place }, io);
    const results = await runChecks({ ...ports, ...defined({ cluster }) }, facts);
    const isOwn = ({ section }: CheckResult) => (section === "deployment") === (cluster === undefined);
    return checkAnswer(results.filter(isOwn));
  };
  await printEach([own, ...clusters], { ...options, headings: CHECK_HEADINGS }, ask, io);
}

const CHECK_HEADINGS: readonly string[] = ["OK", "WARNING", "ERROR", "UNKNOWN"];

async function checkPorts(deployment: Deployment, options: CheckTarget, io: Io, isEarly: boolean): Promise<CheckPorts> {
  const { store, target } = deployment;
  const serving = servingOf(deployment, io);
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
    readChannels: once(() => readChannels(deployment, io)),
    readClusters: async () => (await serving.read()).records,
    readRecord: (cluster) => readClusterRecord(deployment, cluster),
    readServed: once(() => readServed(deployment)),
    sourceDifference: (channels) => sourceDifference(channels, deployment, io),
    shippedTree: once(() => shippedTree(io)),
    istioNamespace: options.istioNamespace,
    agentFor: proxyAgents(process.env),
    readRunning: (kube, samples) => readRunningFacts(serving, kube, samples),
    flags: awsFlags(target),
    isEarly,
    now: Date.now,
    ...(options.verify === true && { names: { ecrEndpoint: ecrEndpoint(process.env) } }),
    ...defined({ url }),
  };
}

async function readRunningFacts(serving: Serving, kube: KubeClient, samples: readonly NamedPod[]) {
  const { name, unjudged, ...cluster } = await judgeCluster(serving, kube, undefined);
  const { note, counted } = unsampledBranches({ name, ...cluster }, samples, cluster.servedRelease);
  async function* read() {
    for await (const pod of runningPods(kube)) {
      await note(pod);
      yield pod;
    }
  }
  const { workloads, pods, injected, uninjected, unlabelled } = await countRunning(read(), cluster);
  return {
    pods,
    injected,
    uninjected,
    unlabelled,
    workloads: workloads.length,
    outdated: workloads.flatMap(outdatedText),
    unsampled: counted(),
    ...defined({ unjudged: unjudged?.message }),
  };
}

function checkedCluster(deployment: Deployment, options: CheckTarget, io: Io): CheckPorts["cluster"] {
  const { cluster, context } = options;
  if (cluster === undefined && context === undefined) return undefined;
  return {
    ...defined({ eksName: cluster, registeredAs: options.as ?? cluster, context }),
    flags: placeFlags(options),
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
  const { status, finding } = await askRegistration(deployment, options, io);
  printResult(io, options.json, status, registrationText(status));
  if (finding !== undefined) throw finding;
}

/** `outrigger check --section registration` for the clusters that the options select. */
export async function printRegistrations(options: CheckTarget & SelectionOptions, io: Io): Promise<void> {
  const { clusters, ...opened } = await openFleet(options, io);
  const deployment = sharedReads(opened.deployment);
  const ask = async ({ place }: SelectedCluster) => {
    const { status, finding } = await askRegistration(deployment, { ...options, ...place }, io);
    return registrationAnswer(status, finding);
  };
  await printEach(clusters, { ...options, headings: ["REVISIONS", "DIFFERENCES"] }, ask, io);
}

async function askRegistration(deployment: Deployment, options: CheckTarget, io: Io) {
  const { findUrl } = await watchDeployment(deployment, io.env);
  const { kube, ...registered } = await findRegistration(deployment, options, io);
  const served = await readServed(deployment);
  const channels = Object.values(registered.record?.revisions ?? { [DEFAULT_REVISION]: "stable" });
  const status = await clusterStatus(kube, {
    ...registered,
    deployment: deployment.target.stage,
    findUrl: async () => options.url ?? (await findUrl()),
    istioNamespace: istioNamespaceFor(channels, served, options.istioNamespace),
    releaseOf: served,
    proxyImageOf: (channel) => {
      const release = served(channel);
      return release === undefined ? undefined : injectedProxyImage(release);
    },
  });
  return { status, finding: registrationFinding(status, registered.cluster, options.cluster) };
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
