// `outrigger pull`: writes the tree in Parameter Store as files.
import type { Command } from "commander";
import { openDeployment } from "../../connect/deployment.ts";
import { type AwsOptions, withAwsOptions } from "../../options/aws-options.ts";
import type { Io } from "../../terminal/io.ts";
import { type PullSettings, runPull } from "../../tree/run-pull.ts";

interface PullOptions extends AwsOptions, PullSettings {}

const NOTES = `
Templates are written as .hbs files with {{ }}, everything else as .yaml. What was pulled is remembered in
.outrigger/base.json, so that push and the next pull know who has edited what. Edits made here are never overwritten:
where the same entry was edited on both sides, nothing is written and the differences are shown. --force makes the
directory what Parameter Store is.

Examples:
  outrigger pull my-templates
  outrigger pull my-templates --deployment prod --dry-run`;

export function addPullCommand(program: Command, io: Io): void {
  withAwsOptions(program.command("pull"))
    .description("write the source tree of a deployment into a directory")
    .argument("[dir]", "the directory; made where there is none (default: the current one)")
    .option("--force", "overwrite edits made here")
    .option("--dry-run", "show what would be written, and write nothing")
    .option("--json", "print the result as JSON")
    .addHelpText("after", NOTES)
    .action(async (directory: string | undefined, options: PullOptions) =>
      runPull(directory, options, await openDeployment(options, io), io),
    );
}
