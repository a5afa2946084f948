// `outrigger unregister`: removes the registration of a cluster, or of one of its revisions.

import { defined } from "@outrigger/base";
import { unregisterCluster } from "@outrigger/cluster";
import type { Command } from "commander";
import { causeOf, openDeployment } from "../../connect/deployment.ts";
import { type ClusterOptions, withClusterOptions } from "../../options/cluster-options.ts";
import type { Io } from "../../terminal/io.ts";

interface UnregisterOptions extends ClusterOptions {
  readonly revision?: string;
  readonly keepObjects?: true;
}

const NOTES = `
Removes the webhooks first, then the alarm and the record with its tokens. Missing objects are not an error, and neither
is a deleted cluster. Pods keep their sidecars.

Example:
  outrigger unregister --cluster shop`;

export function addUnregisterCommand(program: Command, io: Io): void {
  withClusterOptions(program.command("unregister"))
    .description("remove the webhooks of an EKS cluster, its alarm and its record")
    .option("--revision <revision>", "only this revision and its tags")
    .option("--keep-objects", "do not contact the cluster: for one that can no longer be reached")
    .option("-m, --message <text>", "the reason, recorded with the change")
    .addHelpText("after", NOTES)
    .action((options: UnregisterOptions) => runUnregister(options, io));
}

async function runUnregister(options: UnregisterOptions, io: Io): Promise<void> {
  const { connectCluster, registrationPorts, unlessGone, watchDeployment } = await import(
    "../../connect/connect-cluster.ts"
  );
  const deployment = await openDeployment(options, io);
  const watch = await watchDeployment(deployment, io.env);
  const connection =
    options.keepObjects === true ? undefined : await connectCluster(deployment, options).catch(unlessGone);
  const request = defined({
    cluster: options.as ?? options.cluster,
    deployment: deployment.target.stage,
    cause: await causeOf(deployment, options.message),
    keepObjects: options.keepObjects === true,
    revision: options.revision,
  });
  const report = (line: string) => void io.stdout.write(`${line}\n`);
  const { report: _, ...ports } = registrationPorts(deployment, undefined, watch, io);
  await unregisterCluster(request, { ...ports, report }, connection?.kube);
}
