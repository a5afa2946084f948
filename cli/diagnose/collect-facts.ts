// Gathering what `outrigger check` judges: from AWS, the endpoint and the cluster. What cannot be read is kept with its reason.

import { defined, OutriggerError } from "@outrigger/base";
import type { DeploymentFacts, EndpointFacts, Facts, InstalledWebhook, ServedFacts } from "@outrigger/cluster";
import { type Fact, learn, readCalls, readTls } from "@outrigger/cluster";
import { readSnapshot } from "@outrigger/serving";
import { DEFAULT_TIMEOUT_SECONDS, webhookUrl } from "@outrigger/webhook";
import { type Deployment, openDeployment } from "../connect/deployment.ts";
import type { KubeconfigOptions } from "../connect/kubeconfig-access.ts";
import { proxyAgents } from "../connect/proxy-agents.ts";
import { awsFlags } from "../options/aws-options.ts";
import type { ClusterOptions } from "../options/cluster-options.ts";
import { readChannels } from "../releases/read-records.ts";
import { sourceDifference } from "../releases/source-difference.ts";
import type { Io } from "../terminal/io.ts";

export interface CheckTarget extends Omit<ClusterOptions, "cluster">, KubeconfigOptions {
  readonly cluster?: string;
  readonly url?: string;
  readonly istioNamespace: string;
}

/** Reads everything that the checks look at. */
export async function collectFacts(
  options: CheckTarget,
  io: Io,
  { isEarly }: { readonly isEarly: boolean },
): Promise<Facts> {
  const deployment = await openDeployment(options, io);
  const facts = await collectDeployment(deployment, io);
  const url = await learn(async () => urlOf(options.url ?? io.env["OUTRIGGER_URL"], facts.stack));
  const hasCluster = options.cluster !== undefined || options.context !== undefined;
  const { collectCluster } = await import("./collect-cluster-facts.ts");
  const cluster = hasCluster ? await collectCluster({ deployment, options, url, isEarly, io }) : undefined;
  const installed = cluster?.installed.known === true ? cluster.installed.value : [];
  const target = options.cluster ?? cluster?.name;
  const deploymentFlags = awsFlags(deployment.target);
  return {
    now: Date.now(),
    deployment: facts,
    endpoint: await collectEndpoint(url, installed),
    flags: {
      deployment: deploymentFlags,
      cluster: `${target === undefined ? "" : ` --cluster ${target}`}${deploymentFlags}`,
    },
    ...defined({ cluster }),
  };
}

function urlOf(given: string | undefined, stack: DeploymentFacts["stack"]): string {
  const url = given || (stack.known ? stack.value?.url : undefined);
  if (url !== undefined && URL.canParse(url)) return url;
  throw new OutriggerError("endpoint-unfit", "the webhook's URL is not known: deploy first, or give it with --url");
}

async function collectDeployment(deployment: Deployment, io: Io): Promise<DeploymentFacts> {
  const { examineDeployment } = await import("../connect/connect-cluster.ts");
  const aws = await examineDeployment(deployment);
  const { store, target } = deployment;
  const channels = await learn(() => readChannels(deployment, io));
  const [caller, stack, functions, alarms, served, source] = await Promise.all([
    learn(async () => {
      const [account = "", region = ""] = (await deployment.place()).split("/");
      return { who: await deployment.caller(), account, region };
    }),
    learn(aws.stack),
    learn(aws.functions),
    learn(aws.alarms),
    learn(async (): Promise<ServedFacts> => {
      if (!channels.known) throw new OutriggerError("store-denied", channels.why);
      const records = Object.fromEntries(Object.entries(channels.value).map(([name, { release }]) => [name, release]));
      const reading = await readSnapshot(store, target.layout, undefined);
      if (reading.kind !== "snapshot") throw new OutriggerError("store-corrupt", "the snapshot cannot be read");
      return { seq: reading.head.seq, channels: reading.snapshot.channels, records };
    }),
    learn(async () => {
      if (!channels.known) throw new OutriggerError("store-denied", channels.why);
      return sourceDifference(channels.value, deployment, io);
    }),
  ]);
  return { name: target.stage, caller, stack, functions, alarms, served, sourceDifference: source };
}

async function collectEndpoint(url: Fact<string>, installed: readonly InstalledWebhook[]): Promise<EndpointFacts> {
  if (!url.known) return { url, tls: url, calls: url };
  const own = installed.find(({ settings, token }) => settings !== undefined && token !== undefined);
  const { caBundle, timeoutSeconds = DEFAULT_TIMEOUT_SECONDS } = own?.settings ?? {};
  const withToken = own?.token !== undefined;
  const address =
    own?.settings === undefined || own.token === undefined
      ? url.value
      : webhookUrl({ ...own.settings, url: url.value, token: own.token });
  const agentFor = proxyAgents(process.env);
  return {
    url,
    tls: await learn(() => readTls(url.value, caBundle, agentFor)),
    calls: await learn(() => readCalls(address, { timeoutSeconds, withToken, agentFor, ...defined({ caBundle }) })),
  };
}
