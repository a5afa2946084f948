// `outrigger status`: whether a cluster is as it was registered.
import type { Command } from "commander";
import { type ClusterStatus, clusterStatus } from "../../lib/cluster/cluster-status.ts";
import { OutriggerError } from "../../lib/errors.ts";
import { type ClusterOptions, withClusterOptions } from "../cluster-options.ts";
import { openDeployment } from "../deployment.ts";
import type { Io } from "../io.ts";
import { printResult, table } from "../print.ts";

interface StatusOptions extends ClusterOptions {
  readonly url?: string;
  readonly istioNamespace: string;
  readonly json?: true;
}

const NOTES = `
Compares the webhooks in the cluster (URL, CA, token, selectors, conditions, policy) with what was registered, the
record with the cluster, and the mesh config of the release that is served with istiod's own. Exit code 1 where they
differ. outrigger register --cluster NAME mends all but the mesh config, which is edited in source/mesh.

Example:
  outrigger status --cluster shop`;

export function addStatusCommand(program: Command, io: Io): void {
  withClusterOptions(program.command("status"))
    .description("say whether a cluster is as it was registered")
    .option("--url <url>", "where the webhook answers (default: $OUTRIGGER_URL, or the stack's output)")
    .option("--istio-namespace <namespace>", "where istiod is", "istio-system")
    .option("--json", "print the result as JSON")
    .addHelpText("after", NOTES)
    .action((options: StatusOptions) => runStatus(options, io));
}

async function runStatus(options: StatusOptions, io: Io): Promise<void> {
  const { connectCluster, readClusterRecord, watchDeployment } = await import("../connect-cluster.ts");
  const { readServed } = await import("../read-served.ts");
  const deployment = await openDeployment(options, io);
  const { findUrl } = await watchDeployment(deployment, io.env);
  const url = await findUrl(options.url);
  const { description, kube } = await connectCluster(deployment, options);
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
  });
  printResult(io, options.json, status, textOf(status));
  if (status.drift.length === 0) return;
  throw new OutriggerError(
    "cluster-conflict",
    `${cluster} differs from what was registered in ${places(status.drift.length)}: outrigger register --cluster ${options.cluster} mends what is in the cluster`,
  );
}

function textOf({ revisions, tokens, drift }: ClusterStatus): string {
  const rows = revisions.map(({ revision, tags, channel, stage, off }) => [
    revision,
    tags.join(",") || "-",
    channel || "-",
    off === undefined ? stage || "-" : `${stage}, off since ${off}`,
  ]);
  const second = tokens > 1 ? "Two tokens are live: outrigger token rotate finishes what was begun\n" : "";
  const differences = drift.map(({ place, expected, actual }) => [place, expected, actual]);
  return [
    rows.length === 0 ? "" : table(["REVISION", "TAGS", "CHANNEL", "STAGE"], rows),
    second,
    differences.length === 0 ? "No difference\n" : `\n${table(["PLACE", "SHOULD BE", "IS"], differences)}`,
  ].join("");
}

function places(count: number): string {
  return count === 1 ? "one place" : `${count} places`;
}
