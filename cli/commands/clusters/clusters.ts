// `outrigger clusters`: the clusters that are registered, and what each is served.
import { defined, kubernetesVersionPattern, OutriggerError, textOf } from "@outrigger/base";
import { type ClusterRecord, recordDigest } from "@outrigger/serving";
import { failurePolicyOf } from "@outrigger/webhook";
import { type Command, InvalidArgumentError } from "commander";
import { openDeployment } from "../../connect/deployment.ts";
import { type AwsOptions, deploymentOptions } from "../../options/aws-options.ts";
import { kubeconfigOptions } from "../../options/cluster-options.ts";
import { type OptionsOf, optionTable, takes } from "../../options/option.ts";
import { SELECTION_NOTES, selectionOptions, selectsClusters } from "../../options/selection-options.ts";
import { resultOptionsWith } from "../../options/shared-options.ts";
import { type AskOptions, askAndPrint, askOptions } from "../../releases/ask-and-print.ts";
import { readClusters } from "../../releases/read-records.ts";
import { ageOf } from "../../terminal/age-of.ts";
import type { Io } from "../../terminal/io.ts";
import { printResult, table } from "../../terminal/print.ts";

const NOTES = `
set changes what is named, and keeps the rest:
  revision.NAME       the channel that serves the revision; nothing takes the revision away
  network             the network of its pods; nothing takes it away
  kubernetes-version  decides about native sidecars: 1.33
  native-sidecars     whether the proxy is a native sidecar: true, false or auto

${SELECTION_NOTES} It says which Kubernetes each runs, which release it is served
and for how long, what of these is behind, and the versions of the functions and of this command. What is behind is no finding.

Examples:
  outrigger clusters --all --role-name outrigger-operator
  outrigger clusters set shop revision.default=stable revision.canary=canary
  outrigger clusters set shop revision.canary=
  outrigger clusters set shop network=network-1 native-sidecars=auto`;

const CLUSTERS_OPTIONS = optionTable({
  ...deploymentOptions,
  ...resultOptionsWith("wide", "name"),
  ...selectionOptions,
  kubeconfig: kubeconfigOptions.kubeconfig,
});

const REMOVE_OPTIONS = optionTable({
  ...askOptions,
  force: { about: "also where its webhooks reject pods: for a cluster that is gone" },
});

export function addClustersCommand(program: Command, io: Io): void {
  const clusters = takes(program.command("clusters"), CLUSTERS_OPTIONS)
    .description("list the registered clusters and what they are served")
    .addHelpText("afterAll", NOTES)
    .action(async (options) => {
      if (!selectsClusters(options)) return listClusters(options, io);
      return (await import("../../fleet/version-skew.ts")).printSkew(options, io);
    });
  takes(clusters.command("set"), askOptions)
    .description("change what a registered cluster is served")
    .argument("<cluster>", "the cluster")
    .argument("[settings...]", "what changes, as name=value: see below", collectSetting)
    .action((cluster, settings, options) => setCluster(cluster, settings ?? new Map(), options, io));
  takes(clusters.command("remove"), REMOVE_OPTIONS)
    .description("forget a cluster that is gone, and its tokens (outrigger unregister also takes its webhooks away)")
    .argument("<cluster>", "the cluster")
    .action((cluster, options) => removeCluster(cluster, options, io));
}

/** Removes the record, without which calls are no longer answered: webhooks that reject pods then must go first. */
async function removeCluster(cluster: string, options: OptionsOf<typeof REMOVE_OPTIONS>, io: Io): Promise<void> {
  const { deployment, record } = await openRecord(cluster, options, io);
  const why = options.force === true ? undefined : whyKept(cluster, record);
  if (why !== undefined) {
    const message = `Cannot forget cluster ${cluster}: ${why}, or pass --force if the cluster is gone`;
    throw new OutriggerError("cluster-conflict", message, { path: cluster });
  }
  // What has happened to it since is not forgotten unseen.
  const seen = options.force === true ? {} : { expect: recordDigest(record) };
  await askAndPrint({ action: "remove-cluster", cluster, ...seen }, options, deployment, io);
}

function whyKept(cluster: string, { settings = {}, lease }: Partial<ClusterRecord> = {}): string | undefined {
  const isStrict = (each: (typeof settings)[string]) =>
    failurePolicyOf(each) === "Fail" || each["safetyNet"] === "deny";
  const strict = Object.entries(settings).flatMap(([name, each]) => (isStrict(each) ? [name] : []));
  if (strict.length > 0) {
    return `without its record, the webhooks of revision ${strict.join(", ")} would reject its pods; outrigger unregister --cluster ${cluster} takes them away first`;
  }
  if (lease === undefined) return undefined;
  return `${lease.by} is changing it, or was stopped before the end (lease until ${lease.until}); outrigger unregister --cluster ${cluster} takes away what is in it`;
}

async function openRecord(cluster: string, options: AwsOptions, io: Io) {
  const deployment = await openDeployment(options, io);
  const clusters = await readClusters(deployment, io);
  return { deployment, record: Object.hasOwn(clusters, cluster) ? clusters[cluster] : undefined };
}

type Settings = ReadonlyMap<string, string>;

const SETTING = /^(network|kubernetes-version|native-sidecars|revision\.[^=.]+)=(.*)$/;

function collectSetting(text: string, before: Settings = new Map()): Settings {
  const [, name = "", value = ""] = SETTING.exec(text) ?? [];
  if (name === "") throw new InvalidArgumentError("Write name=value, as in revision.canary=canary or network=blue.");
  if (name === "kubernetes-version" && value !== "" && !kubernetesVersionPattern.test(value)) {
    throw new InvalidArgumentError("A version has two numbers, as 1.33 has.");
  }
  if (name === "native-sidecars" && !["true", "false", "auto"].includes(value)) {
    throw new InvalidArgumentError("For native-sidecars, write true, false or auto.");
  }
  return new Map([...before, [name, value]]);
}

async function listClusters(options: OptionsOf<typeof CLUSTERS_OPTIONS>, io: Io): Promise<void> {
  const deployment = await openDeployment(options, io);
  const clusters = await readClusters(deployment, io);
  const now = Date.now();
  const hasGiven = Object.values(clusters).some((record) => givenUrls(record) !== "");
  const rows = Object.entries(clusters).map(([name, record]) => [
    name,
    Object.entries(record.revisions)
      .map((pair) => pair.join("="))
      .join(","),
    record.kubernetesVersion ?? "",
    record.network ?? "",
    String(record.nativeSidecars ?? "auto"),
    record.tokens.map(({ created }, index) => `${index + 1}:${ageOf(created, now)}`).join(" "),
    ...(hasGiven ? [givenUrls(record)] : []),
  ]);
  const none = `There are no clusters below ${deployment.target.layout.clusters}: outrigger register --cluster NAME\n`;
  const headings = ["CLUSTER", "REVISIONS", "KUBERNETES", "NETWORK", "NATIVE", "TOKENS"];
  const text = table(hasGiven ? [...headings, "URL"] : headings, rows);
  const shown = Object.entries(clusters).map(([name, { tokens, ...record }]) => {
    // Enough of a digest to distinguish two tokens, and too little to look one up by.
    const short = tokens.map(({ sha256, created }) => ({ sha256: `${sha256.slice(0, 8)}…`, created }));
    return [name, { ...record, tokens: short }] as const;
  });
  printResult(io, options.json, Object.fromEntries(shown), rows.length === 0 ? none : text, Object.keys(clusters));
}

/** The URLs that were given by `register --url`; empty where all revisions follow the deployment's own. */
function givenUrls({ settings = {} }: ClusterRecord): string {
  const urls = Object.values(settings).flatMap(({ givenUrl, url }) => (givenUrl === true ? (textOf(url) ?? []) : []));
  return [...new Set(urls)].join(" ");
}

async function setCluster(cluster: string, settings: Settings, options: AskOptions, io: Io): Promise<void> {
  const { deployment, record } = await openRecord(cluster, options, io);
  if (record === undefined) {
    const message = `Cannot change cluster ${cluster}: it is not registered; outrigger register --cluster ${cluster} does that`;
    throw new OutriggerError("cluster-unknown", message);
  }
  const request = { action: "put-cluster", cluster, record: changed(record, settings) } as const;
  await askAndPrint({ ...request, expect: recordDigest(record) }, options, deployment, io);
}

function changed(record: ClusterRecord, settings: Settings): Omit<ClusterRecord, "tokens"> {
  const network = (settings.get("network") ?? record.network) || undefined;
  const kubernetesVersion = (settings.get("kubernetes-version") ?? record.kubernetesVersion) || undefined;
  const native = settings.get("native-sidecars");
  const nativeSidecars =
    native === undefined ? record.nativeSidecars : native === "auto" ? undefined : native === "true";
  const revisions = [...settings].flatMap(([name, channel]) => {
    const [kind, revision = ""] = name.split(".");
    return kind === "revision" ? [[revision, channel] as const] : [];
  });
  const after = Object.entries({ ...record.revisions, ...Object.fromEntries(revisions) });
  return {
    arn: record.arn,
    revisions: Object.fromEntries(after.filter(([, channel]) => channel !== "")),
    ...defined({ network, kubernetesVersion, nativeSidecars }),
  };
}
