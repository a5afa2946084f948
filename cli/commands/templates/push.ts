// `outrigger push`: what was edited in a directory goes to Parameter Store.

import { readSourceTree } from "@outrigger/publisher";
import type { Command } from "commander";
import { openDeployment } from "../../connect/deployment.ts";
import { type AwsOptions, withAwsOptions } from "../../options/aws-options.ts";
import { parseChannelName } from "../../options/names.ts";
import { withMessage } from "../../releases/ask-and-print.ts";
import type { Io } from "../../terminal/io.ts";
import { directoryOf } from "../../tree/read-trees.ts";
import { type PushSettings, runPush } from "../../tree/run-push.ts";

interface PushOptions extends AwsOptions, PushSettings {}

const NOTES = `
Only what was edited here since the last pull or push is written, and what was deleted here is deleted. What others
have changed meanwhile is never overwritten: the push is refused, and shows the differences. --force makes
Parameter Store what the directory is, whatever is there. A tree that would not be published is not pushed.

Examples:
  outrigger push my-templates --dry-run
  outrigger push my-templates --publish -m "Larger proxy for the shop"`;

export function addPushCommand(program: Command, io: Io): void {
  withMessage(withAwsOptions(program.command("push")))
    .description("write a directory's edits to Parameter Store")
    .argument("[dir]", "the directory of the source tree (default: the current one)")
    .option("--force", "overwrite what others have changed")
    .option("--dry-run", "show what would be written, and write nothing")
    .option("--publish", "publish it and wait, instead of leaving it to the deployment")
    .option("--unpin", "with --publish: publish although the channel is pinned, and unpin it")
    .option("--advanced", "write texts over 4,096 bytes as advanced parameters, which cost money")
    .option("--channel <channel>", "with --publish: refuse to publish to any other", parseChannelName)
    .option("--json", "print the result as JSON")
    .addHelpText("after", NOTES)
    .action(async (argument: string | undefined, options: PushOptions) => {
      const directory = directoryOf(argument, io);
      // Before AWS is asked: a directory may be misspelt.
      const tree = await readSourceTree(directory);
      await runPush({ directory, tree, settings: options, isTruth: false }, await openDeployment(options, io), io);
    });
}
