// The connections to an EKS cluster and to the monitoring of a deployment. Loaded only when a command needs it, because
// the SDK is most of the tool's size.
import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { CloudWatchClient } from "@aws-sdk/client-cloudwatch";
import { CloudWatchLogsClient } from "@aws-sdk/client-cloudwatch-logs";
import { EKSClient } from "@aws-sdk/client-eks";
import { LambdaClient } from "@aws-sdk/client-lambda";
import { fromTemporaryCredentials } from "@aws-sdk/credential-providers";
import { defined, ownError } from "@outrigger/base";
import type { CheckPorts, KubeClient, RegistrationPorts } from "@outrigger/cluster";
import {
  alarmStates,
  connectEks,
  deploymentAlarms,
  deploymentMetrics,
  findWebhookUrl,
  selfTest,
} from "@outrigger/cluster";
import { type ClusterOptions, type KubeconfigOptions, namesContext } from "../options/cluster-options.ts";
import { readClusterRecord } from "../releases/read-records.ts";
import type { Io } from "../terminal/io.ts";
import { awsCredentials } from "./aws-credentials.ts";
import { awsClientConfig, regionOfClient } from "./aws-request-handler.ts";
import { proxyAgents } from "./choose-proxy.ts";
import type { Deployment } from "./deployment.ts";
import { connectContext } from "./kubeconfig-access.ts";

export type ClusterConnection = Awaited<ReturnType<typeof connectEks>>;

/**
 * Finds a cluster, and connects to its API server by the context of a kubeconfig if one is named. Only for commands that read: a
 * context may lead to another cluster than the one that is named.
 */
export async function connectClusterToRead(
  deployment: Deployment,
  options: ClusterOptions & KubeconfigOptions,
  io: Io,
): Promise<ClusterConnection> {
  const connection = await connectCluster(deployment, options, io);
  return namesContext(options) ? { ...connection, kube: await connectContext(options, io) } : connection;
}

export async function connectCluster(
  { target }: Deployment,
  options: ClusterOptions,
  io: Pick<Io, "sleep">,
): Promise<ClusterConnection> {
  const client = eksClient(target, options);
  return connectEks(client, options.cluster, {
    region: await regionOfClient(client),
    sleep: io.sleep ?? pause,
    remediation: ({ isPublic }) =>
      isPublic
        ? "check that the endpoint allows this machine's address (publicAccessCidrs)"
        : "its endpoint is private: run this command in the cluster's network, or apply the output of outrigger print webhook there with kubectl",
    agentFor: proxyAgents(process.env),
  });
}

const clients = new WeakMap<Deployment["target"], Map<string, EKSClient>>();

/**
 * The client of a Region and role: one for all clusters of a command, so that a role is assumed once for all of its account. Its
 * credentials are made anew before they end, and the clusters' tokens with them, for as long as a command takes.
 */
function eksClient(target: Deployment["target"], { clusterRegion, roleArn }: ClusterOptions): EKSClient {
  const known = clients.get(target) ?? new Map<string, EKSClient>();
  clients.set(target, known);
  const key = `${clusterRegion ?? ""} ${roleArn ?? ""}`;
  const client =
    known.get(key) ??
    new EKSClient({
      ...awsClientConfig("eks", { ...target, ...defined({ region: clusterRegion ?? target.region }) }, process.env),
      credentials: roleArn === undefined ? awsCredentials(target) : assumed(roleArn, target),
    });
  known.set(key, client);
  return client;
}

/** The session name identifies the tool in the cluster's audit log. */
function assumed(RoleArn: string, target: Deployment["target"]) {
  const { region } = target;
  return fromTemporaryCredentials({
    masterCredentials: awsCredentials(target),
    params: { RoleArn, RoleSessionName: "outrigger" },
    ...(region && { clientConfig: { region } }),
  });
}

export type DeploymentWatch = Awaited<ReturnType<typeof watchDeployment>>;

/** Reads what AWS reports about a deployment, apart from its store. */
export async function watchDeployment(deployment: Deployment, env: Io["env"]) {
  const { target } = deployment;
  const cloudWatch = new CloudWatchClient(awsClientConfig("monitoring", target, env));
  const region = await regionOfClient(cloudWatch);
  const { isCanaryFailing, noCalls } = deploymentAlarms(cloudWatch, target.stage, region);
  const { countTokenCalls, lostCalls, countReleases } = deploymentMetrics(cloudWatch, target.stage, region);
  return {
    /** The deployment's own URL: the environment's, or the stack's output. */
    findUrl: async (): Promise<string> =>
      env["OUTRIGGER_URL"] || (await findWebhookUrl(await deploymentClients(deployment, env), target.stage)),
    isCanaryFailing,
    countCalls: (cluster: string) => (slot: 1 | 2, since: number) =>
      countTokenCalls({ cluster, slot, since, now: Date.now() }),
    /** The times, since a time, at which calls of any cluster got no review. */
    lostCalls: (since: number) => lostCalls({ since, now: Date.now() }),
    alarm: noCalls,
    alarmStates: alarmStates(() => cloudWatch),
    /** Counts what each of some releases did since a time, in milliseconds since 1970. */
    countReleases: <const Releases extends readonly string[]>(
      question: Omit<Parameters<typeof countReleases<Releases>>[0], "now">,
    ) => countReleases<Releases>({ ...question, now: Date.now() }),
  };
}

export async function deploymentClients({ target }: Deployment, env: Io["env"]): Promise<CheckPorts["aws"]> {
  const configOf = (service: Parameters<typeof awsClientConfig>[0]) => awsClientConfig(service, target, env);
  const lambda = new LambdaClient(configOf("lambda"));
  return {
    cloudFormation: new CloudFormationClient(configOf("cloudformation")),
    cloudWatch: new CloudWatchClient(configOf("monitoring")),
    logs: new CloudWatchLogsClient(configOf("logs")),
    lambda,
    region: await regionOfClient(lambda),
  };
}

/** The ports of a registration, on the real clock. */
export function registrationPorts<Kube extends KubeClient | undefined>(
  deployment: Deployment,
  kube: Kube,
  watch: Pick<DeploymentWatch, "alarm">,
  io: Io,
): Omit<RegistrationPorts, "kube"> & { readonly kube: Kube } {
  const report = (line: string) => void io.stderr.write(`${line}\n`);
  return {
    kube,
    ask: deployment.askPublisher,
    readRecord: (cluster) => readClusterRecord(deployment, cluster),
    selfTest: (url, settings, sleep) =>
      selfTest(url, { ...settings, sleep, report, agentFor: proxyAgents(process.env) }),
    alarm: watch.alarm,
    randomBytes,
    now: Date.now,
    sleep: io.sleep ?? pause,
    report,
    signal: stopSignal(io, report, "Stopping after the current call, and restoring what was changed"),
  };
}

/** Aborted by the first Ctrl-C; the second one ends the process. */
export function stopSignal(io: Io, report: (line: string) => void, saying: string): AbortSignal {
  const controller = new AbortController();
  void io.stopped().then(() => {
    report(`${saying}; press Ctrl-C again to quit at once`);
    controller.abort("it was stopped");
  });
  return controller.signal;
}

/** Undefined for the error that a cluster does not exist; every other error is thrown again. */
export function unlessGone(error: unknown): undefined {
  ownError(error, "cluster-unknown");
}
