// `outrigger clusters`: the clusters that are registered, and what each is served.

import { defined, kubernetesVersionPattern, OutriggerError } from "@outrigger/base";
import { type ClusterRecord, recordDigest } from "@outrigger/serving";
import { failurePolicyOf } from "@outrigger/webhook";
import { type Command, InvalidArgumentError } from "commander";
import { openDeployment } from "../../connect/deployment.ts";
import { type AwsOptions, withAwsOptions } from "../../options/aws-options.ts";
import { type AskSettings, askAndPrint, withAskOptions } from "../../releases/ask-and-print.ts";
import { readClusters } from "../../releases/read-records.ts";
import { ageOf } from "../../terminal/age.ts";
import type { Io } from "../../terminal/io.ts";
import { printResult, table } from "../../terminal/print.ts";

interface ClustersOptions extends AwsOptions {
  readonly json?: true;
}

interface SetOptions extends AwsOptions, AskSettings {
  readonly revision?: readonly string[];
  readonly network?: string;
  readonly kubernetesVersion?: string;
  readonly nativeSidecars?: string;
}

const NOTES = `
set changes what is named. A revision with nothing behind its = is taken away; an empty network or version too.

Examples:
  outrigger clusters set shop --revision default=stable --revision canary=canary
  outrigger clusters set shop --revision canary=
  outrigger clusters set shop --network network-1 --native-sidecars auto`;

export function addClustersCommand(program: Command, io: Io): void {
  const clusters = withAwsOptions(program.command("clusters"))
    .description("list the registered clusters and what they are served")
    .addHelpText("afterAll", NOTES)
    .option("--json", "print them as JSON")
    .action((options: ClustersOptions) => listClusters(options, io));
  withAskOptions(withAwsOptions(clusters.command("set")))
    .description("change what a registered cluster is served")
    .argument("<cluster>", "the cluster")
    .option("--revision <revision=channel>", "serve a revision from a channel; may be repeated", append)
    .option("--network <network>", "the network of its pods")
    .option("--kubernetes-version <version>", "decides about native sidecars: 1.33", parseVersion)
    .option("--native-sidecars <true|false|auto>", "whether the proxy is a native sidecar")
    .action((cluster: string, options: SetOptions) => setCluster(cluster, options, io));
  withAskOptions(withAwsOptions(clusters.command("remove")))
    .description("forget a cluster that is gone, and its tokens (outrigger unregister also takes its webhooks away)")
    .argument("<cluster>", "the cluster")
    .option("--force", "also where its webhooks reject pods: for a cluster that is gone")
    .action((cluster: string, options: RemoveOptions) => removeCluster(cluster, options, io));
}

interface RemoveOptions extends AwsOptions, AskSettings {
  readonly force?: true;
}

/** Without the record, calls are not answered any more: what rejects pods then is to go first. */
async function removeCluster(cluster: string, options: RemoveOptions, io: Io): Promise<void> {
  const deployment = await openDeployment(options, io);
  const clusters = await readClusters(deployment, io);
  const record = Object.hasOwn(clusters, cluster) ? clusters[cluster] : undefined;
  const { settings = {}, lease } = record ?? {};
  const strict = Object.entries(settings).filter(
    ([, each]) => failurePolicyOf(each) === "Fail" || each["safetyNet"] === "deny",
  );
  if (strict.length > 0 && options.force !== true) {
    throw new OutriggerError(
      "cluster-conflict",
      `Cannot forget cluster ${cluster}: without its record, the webhooks of revision ${strict.map(([name]) => name).join(", ")} would reject its pods; outrigger unregister --cluster ${cluster} takes them away first, or pass --force if the cluster is gone`,
      { path: cluster },
    );
  }
  if (lease !== undefined && options.force !== true) {
    throw new OutriggerError(
      "cluster-conflict",
      `Cannot forget cluster ${cluster}: ${lease.by} is changing it, or was stopped before the end (lease until ${lease.until}); outrigger unregister --cluster ${cluster} takes away what is in it, or pass --force if the cluster is gone`,
      { path: cluster },
    );
  }
  // What has happened to it since is not forgotten unseen.
  const seen = options.force === true ? {} : { expect: recordDigest(record) };
  await askAndPrint({ action: "remove-cluster", cluster, ...seen }, options, deployment, io);
}

function append(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

/** Nothing at all takes the version away. */
function parseVersion(text: string): string {
  if (text === "" || kubernetesVersionPattern.test(text)) return text;
  throw new InvalidArgumentError("A version has two numbers, as 1.33 has.");
}

async function listClusters(options: ClustersOptions, io: Io): Promise<void> {
  const deployment = await openDeployment(options, io);
  const clusters = await readClusters(deployment, io);
  const now = Date.now();
  const rows = Object.entries(clusters).map(([name, record]) => [
    name,
    Object.entries(record.revisions)
      .map(([revision, channel]) => `${revision}=${channel}`)
      .join(","),
    record.kubernetesVersion ?? "",
    record.network ?? "",
    record.nativeSidecars === undefined ? "auto" : String(record.nativeSidecars),
    record.tokens.map(({ created }, index) => `${index + 1}:${ageOf(created, now)}`).join(" "),
  ]);
  const none = `There are no clusters below ${deployment.target.layout.clusters}: outrigger register --cluster NAME\n`;
  const text = table(["CLUSTER", "REVISIONS", "KUBERNETES", "NETWORK", "NATIVE", "TOKENS"], rows);
  const value = Object.fromEntries(Object.entries(clusters).map(([name, record]) => [name, withoutDigests(record)]));
  printResult(io, options.json, value, rows.length === 0 ? none : text);
}

/** Enough of a digest to distinguish two tokens, and too little to look one up by. */
function withoutDigests({ tokens, ...record }: ClusterRecord) {
  return {
    ...record,
    tokens: tokens.map(({ sha256, created }: ClusterRecord["tokens"][number]) => ({
      sha256: `${sha256.slice(0, 8)}…`,
      created,
    })),
  };
}

async function setCluster(cluster: string, options: SetOptions, io: Io): Promise<void> {
  const deployment = await openDeployment(options, io);
  const clusters = await readClusters(deployment, io);
  const record = Object.hasOwn(clusters, cluster) ? clusters[cluster] : undefined;
  if (record === undefined) {
    throw new OutriggerError(
      "cluster-unknown",
      `Cannot change cluster ${cluster}: it is not registered; outrigger register --cluster ${cluster} does that`,
    );
  }
  await askAndPrint(
    { action: "put-cluster", cluster, record: changed(record, options), expect: recordDigest(record) },
    options,
    deployment,
    io,
  );
}

function changed(record: ClusterRecord, options: SetOptions): Omit<ClusterRecord, "tokens"> {
  const { network = record.network, kubernetesVersion = record.kubernetesVersion } = options;
  const native = nativeSidecars(options.nativeSidecars, record.nativeSidecars);
  return {
    arn: record.arn,
    revisions: revisionsAfter(record.revisions, options.revision ?? []),
    ...(network !== undefined && network !== "" && { network }),
    ...(kubernetesVersion !== undefined && kubernetesVersion !== "" && { kubernetesVersion }),
    ...defined({ nativeSidecars: native }),
  };
}

function revisionsAfter(before: ClusterRecord["revisions"], changes: readonly string[]): ClusterRecord["revisions"] {
  const pairs = changes.map((change) => {
    const [, revision, channel] = /^([^=]+)=(.*)$/.exec(change) ?? [];
    if (revision === undefined || channel === undefined) {
      throw new OutriggerError("usage", `Cannot use --revision ${change}: write revision=channel, as in canary=canary`);
    }
    return [revision, channel] as const;
  });
  const after = new Map([...Object.entries(before), ...pairs]);
  return Object.fromEntries([...after].filter(([, channel]) => channel !== ""));
}

function nativeSidecars(choice: string | undefined, before: boolean | undefined): boolean | undefined {
  if (choice === undefined) return before;
  if (choice === "auto") return undefined;
  if (choice === "true" || choice === "false") return choice === "true";
  throw new OutriggerError("usage", `Cannot use --native-sidecars ${choice}: write true, false or auto`);
}
