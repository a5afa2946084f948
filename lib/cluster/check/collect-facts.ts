// Gathering what the checks judge: from AWS, the endpoint and the cluster. What cannot be read is kept with its reason.
import { defined, OutriggerError } from "@outrigger/base";
import { readSnapshot } from "@outrigger/serving";
import { DEFAULT_TIMEOUT_SECONDS, webhookUrl } from "@outrigger/webhook";
import { allOf, type Fact, learn, need } from "../fact.ts";
import { registryPorts } from "../names/resolve-image.ts";
import { injectedNames, verifyImages } from "../names/verify-names.ts";
import type { InstalledWebhook } from "../objects/installed-webhooks.ts";
import { givenUrlOf } from "../register/plan-settings.ts";
import type { CheckPorts } from "./check-ports.ts";
import { type ClusterFacts, collectCluster, layersOf } from "./collect-cluster-facts.ts";
import { readDeployed } from "./read-deployment.ts";
import { readCalls, readTls } from "./read-endpoint.ts";

export interface Facts {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly deployment: DeploymentFacts;
  readonly endpoint: EndpointFacts;
  /** Left out where no cluster is named. */
  readonly cluster?: ClusterFacts;
  /** Options for commands that a fix proposes, each with a space before it. */
  readonly flags: { readonly deployment: string; readonly cluster: string };
}

/** The part of a deployment that a look without a person's rights sees. */
export interface DeployedFacts {
  readonly deployment: Pick<DeploymentFacts, "name" | "stack" | "functions" | "alarms" | "logs">;
}

type Read<Reader extends (...question: never[]) => Promise<unknown>> = Fact<Awaited<ReturnType<Reader>>>;

export interface EndpointFacts {
  readonly url: Fact<string>;
  readonly tls: Read<typeof readTls>;
  readonly calls: Read<typeof readCalls>;
}

/** @param known gets the facts about the deployment, where they are collected once for several clusters */
export async function collectFacts(
  ports: CheckPorts,
  known: () => Promise<DeploymentFacts> = () => collectDeployment(ports),
): Promise<Facts> {
  const deployment = await known();
  const own = await learn(async () => urlOf(ports.url, deployment.stack));
  const cluster = ports.cluster === undefined ? undefined : await collectCluster(ports, ports.cluster, own);
  const installed = cluster?.installed.known === true ? cluster.installed.value : [];
  // What the cluster calls is what is tried.
  const called = ports.url === undefined ? urlCalled(installed) : undefined;
  const url: Fact<string> = called === undefined ? own : { known: true, value: called };
  const target = ports.cluster?.eksName ?? cluster?.name;
  const named = target === undefined ? "" : ` --cluster ${target}${ports.cluster?.flags ?? ""}`;
  return {
    now: ports.now(),
    deployment,
    endpoint: await collectEndpoint(url, installed, ports),
    flags: { deployment: ports.flags, cluster: `${named}${ports.flags}` },
    ...defined({ cluster }),
  };
}

/** The URL that a person gave for the first revision whose settings can be read. */
function urlCalled(installed: readonly InstalledWebhook[]): string | undefined {
  return givenUrlOf(installed.find(({ settings }) => settings !== undefined)?.settings);
}

function urlOf(given: string | undefined, stack: DeploymentFacts["stack"]): string {
  const url = given || (stack.known ? stack.value?.url : undefined);
  if (url !== undefined && URL.canParse(url)) return url;
  throw new OutriggerError("endpoint-unfit", "the webhook's URL is not known: deploy first, or give it with --url");
}

export type DeploymentFacts = Awaited<ReturnType<typeof collectDeployment>>;

/** The facts about a deployment: the same for each of its clusters. */
export async function collectDeployment(ports: CheckPorts) {
  const { deployment, store, layout, aws } = ports;
  const channels = await learn(ports.readChannels);
  const { deployed, ...read } = await allOf({
    caller: learn(ports.caller),
    deployed: readDeployed(aws, deployment),
    served: learn(async () => {
      const records = Object.entries(need(channels)).map(([name, { release }]) => [name, release] as const);
      const reading = await readSnapshot(store, layout, undefined);
      if (reading.kind !== "snapshot") throw new OutriggerError("store-corrupt", "the snapshot cannot be read");
      const { head, snapshot } = reading;
      // Channel → digest, as containers read it, and as the records say.
      return { seq: head.seq, channels: snapshot.channels, records: Object.fromEntries(records) };
    }),
    sourceDifference: learn(async () => ports.sourceDifference(need(channels))),
  });
  const { names } = ports;
  // Of the releases that are served; left out where nobody asked for it.
  const images = names === undefined ? undefined : await learn(() => servedImages(ports, names));
  return { name: deployment, ...deployed, ...read, ...defined({ images }) };
}

async function servedImages(ports: CheckPorts, { ecrEndpoint }: NonNullable<CheckPorts["names"]>) {
  const { agentFor, aws } = ports;
  const releaseOf = await ports.readServed();
  const releases = Object.keys(await ports.readChannels()).flatMap((channel) => releaseOf(channel) ?? []);
  const registries = registryPorts({ client: async () => aws.lambda, ecrEndpoint, agentFor });
  return verifyImages(injectedNames(releases, await layersOf(ports)).images, registries);
}

async function collectEndpoint(
  url: Fact<string>,
  installed: readonly InstalledWebhook[],
  { agentFor }: CheckPorts,
): Promise<EndpointFacts> {
  if (!url.known) return { url, tls: url, calls: url };
  const own = installed.find(({ settings, token }) => settings !== undefined && token !== undefined);
  const { caBundle, injectionLabel, timeoutSeconds = DEFAULT_TIMEOUT_SECONDS } = own?.settings ?? {};
  const withToken = own?.token !== undefined;
  const address =
    own?.settings === undefined || own.token === undefined
      ? url.value
      : webhookUrl({ ...own.settings, url: url.value, token: own.token });
  return {
    url,
    tls: await learn(() => readTls(url.value, { ca: caBundle, agentFor })),
    calls: await learn(() =>
      readCalls(address, { timeoutSeconds, withToken, ...defined({ agentFor, caBundle, injectionLabel }) }),
    ),
  };
}
