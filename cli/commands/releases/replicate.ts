// `outrigger replicate`: a deployment that is a replica takes over at once what its primary serves.

import { defined } from "@outrigger/base";
import type { Command } from "commander";
import { openDeployment } from "../../connect/deployment.ts";
import { type AwsOptions, withAwsOptions } from "../../options/aws-options.ts";
import { type AskSettings, askAndPrint, withAskOptions } from "../../releases/ask-and-print.ts";
import type { Io } from "../../terminal/io.ts";

interface ReplicateOptions extends AwsOptions, AskSettings {
  readonly force?: true;
}

const NOTES = `
Name the replica, by --deployment and --region. It follows the deployment that its setting replicaOf names: releases, channels
with their history, and clusters with their tokens. It does so every minute by itself; run this after a publication, a
registration or a rotation that must not wait.

A channel that was moved in the replica itself, for example by a rollback while the primary was down, is left as it is, and
reported. --force takes over what the primary has.

Examples:
  outrigger replicate --region eu-central-1
  outrigger replicate --region eu-central-1 --dry-run`;

export function addReplicateCommand(program: Command, io: Io): void {
  withAskOptions(withAwsOptions(program.command("replicate")))
    .description("make a replica in a second Region serve what its primary serves, at once")
    .option("--force", "take over channels too that were moved in the replica")
    .addHelpText("after", NOTES)
    .action(async (options: ReplicateOptions) => {
      const { force } = options;
      await askAndPrint({ action: "replicate", ...defined({ force }) }, options, await openDeployment(options, io), io);
    });
}
