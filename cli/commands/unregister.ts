// `outrigger unregister`: takes a cluster, or one of its revisions, out again.
import type { Command } from "commander";
import { unregisterCluster } from "../../lib/cluster/unregister-cluster.ts";
import { type ClusterOptions, withClusterOptions } from "../cluster-options.ts";
import { causeOf, openDeployment } from "../deployment.ts";
import type { Io } from "../io.ts";

interface UnregisterOptions extends ClusterOptions {
  readonly revision?: string;
  readonly keepObjects?: true;
  readonly message?: string;
}

const NOTES = `
Removes the webhooks first, then the alarm and the record with its tokens. What is gone already is no error, and neither
is a cluster that is gone. Pods keep the sidecars they have.

Example:
  outrigger unregister --cluster shop`;

export function addUnregisterCommand(program: Command, io: Io): void {
  withClusterOptions(program.command("unregister"))
    .description("remove the webhooks of an EKS cluster, and what is kept of it")
    .option("--revision <revision>", "only this revision and its tags")
    .option("--keep-objects", "do not go to the cluster, as where it cannot be reached any more")
    .option("-m, --message <text>", "why: kept with the change")
    .addHelpText("after", NOTES)
    .action((options: UnregisterOptions) => runUnregister(options, io));
}

async function runUnregister(options: UnregisterOptions, io: Io): Promise<void> {
  const { connectCluster, registrationPorts, unlessGone, watchDeployment } = await import("../connect-cluster.ts");
  const deployment = await openDeployment(options, io);
  const watch = await watchDeployment(deployment, io.env);
  const connection =
    options.keepObjects === true ? undefined : await connectCluster(deployment, options).catch(unlessGone);
  const request = {
    cluster: options.as ?? options.cluster,
    deployment: deployment.target.stage,
    cause: await causeOf(deployment, options.message),
    keepObjects: options.keepObjects === true,
    ...(options.revision === undefined ? {} : { revision: options.revision }),
  };
  const report = (line: string) => void io.stdout.write(`${line}\n`);
  const { ask, readRecord, alarm } = registrationPorts(deployment, undefined, watch, io);
  await unregisterCluster(request, { ask, readRecord, alarm, report }, connection?.kube);
}
