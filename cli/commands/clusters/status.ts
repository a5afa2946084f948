// `outrigger status`: whether a cluster matches its registration.

import { OutriggerError } from "@outrigger/base";
import { clusterStatus, injectedProxyImage } from "@outrigger/cluster";
import type { Command } from "commander";
import { openDeployment } from "../../connect/deployment.ts";
import { type ClusterOptions, withClusterOptions } from "../../options/cluster-options.ts";
import { type KubeconfigOptions, withKubeconfigOptions } from "../../options/kubeconfig-options.ts";
import type { Io } from "../../terminal/io.ts";
import { printResult, table } from "../../terminal/print.ts";

interface StatusOptions extends ClusterOptions, KubeconfigOptions {
  readonly url?: string;
  readonly istioNamespace: string;
  readonly json?: true;
}

const NOTES = `
Compares the webhooks in the cluster (URL, CA, token, selectors, conditions, policy) with the registration, the record
with the cluster, and the served release's mesh config and Istio release with istiod's. Run outrigger register --cluster
NAME to repair everything but the last two, which you edit in source/mesh and source/config.

Exit codes: 0 sound, 1 findings, 2 the command line is wrong, 3 could not check.

Example:
  outrigger status --cluster shop`;

export function addStatusCommand(program: Command, io: Io): void {
  withKubeconfigOptions(withClusterOptions(program.command("status")))
    .description("say whether a cluster matches its registration")
    .option("--url <url>", "where the webhook answers (default: $OUTRIGGER_URL, or the stack's output)")
    .option("--istio-namespace <namespace>", "the namespace of istiod", "istio-system")
    .option("--json", "print the result as JSON")
    .addHelpText("after", NOTES)
    .action((options: StatusOptions) => runStatus(options, io));
}

async function runStatus(options: StatusOptions, io: Io): Promise<void> {
  const { connectClusterToRead, readClusterRecord, watchDeployment } = await import("../../connect/connect-cluster.ts");
  const { readServed } = await import("../../releases/read-served.ts");
  const deployment = await openDeployment(options, io);
  const { findUrl } = await watchDeployment(deployment, io.env);
  const url = await findUrl(options.url);
  const { description, kube } = await connectClusterToRead(deployment, options, io);
  const cluster = options.as ?? options.cluster;
  const served = await readServed(deployment);
  const status = await clusterStatus(kube, {
    cluster,
    deployment: deployment.target.stage,
    record: await readClusterRecord(deployment, cluster),
    url,
    arn: description.arn,
    kubernetesVersion: description.kubernetesVersion,
    istioNamespace: options.istioNamespace,
    meshConfigOf: (channel) => served(channel)?.meshConfig,
    injectionOf: (channel) => served(channel)?.config,
    proxyImageOf: (channel) => {
      const release = served(channel);
      return release === undefined ? undefined : injectedProxyImage(release);
    },
  });
  printResult(io, options.json, status, textOf(status));
  if (status.drift.length === 0) return;
  throw new OutriggerError(
    "findings",
    `${cluster} differs from its registration in ${places(status.drift.length)}: run outrigger register --cluster ${options.cluster} to repair the cluster`,
  );
}

function textOf({ revisions, tokens, drift, notes }: Awaited<ReturnType<typeof clusterStatus>>): string {
  const rows = revisions.map(({ revision, tags, channel, phase, off }) => [
    revision,
    tags.join(",") || "-",
    channel || "-",
    off === undefined ? phase || "-" : `${phase}, off since ${off}`,
  ]);
  const second = tokens > 1 ? "Two tokens are live: run outrigger token rotate to finish the rotation\n" : "";
  const differences = drift.map(({ place, expected, actual }) => [place, expected, actual]);
  return [
    rows.length === 0 ? "" : table(["REVISION", "TAGS", "CHANNEL", "PHASE"], rows),
    second,
    ...notes.map((note) => `${note}\n`),
    differences.length === 0 ? "No difference\n" : `\n${table(["PLACE", "SHOULD BE", "IS"], differences)}`,
  ].join("");
}

function places(count: number): string {
  return count === 1 ? "one place" : `${count} places`;
}
