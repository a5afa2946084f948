// `outrigger rollback`, `pin` and `unpin`: a channel goes back, and stays there.
import type { Command } from "commander";
import { type AskSettings, askAndPrint, withAskOptions } from "../ask-and-print.ts";
import { type AwsOptions, withAwsOptions } from "../aws-options.ts";
import { openDeployment } from "../deployment.ts";
import type { Io } from "../io.ts";
import { parseChannelName, parseReleaseName } from "../names.ts";

interface MoveOptions extends AwsOptions, AskSettings {
  readonly to?: string;
}

const ROLLBACK_NOTES = `
A channel that was rolled back is pinned: edits are no longer published to it until it is unpinned, or published to by
hand. So it stays rolled back whatever the source tree says.

Examples:
  outrigger rollback stable -m "Pods do not start"
  outrigger rollback stable --to 1f2e3d4c5b6a`;

const PIN_NOTES = `
A pinned channel is not moved by edits. outrigger unpin, publish, promote and rollback still move it.`;

const UNPIN_NOTES = `
The next edit is published to the channel again; edits that were made before are not, until the tree is edited again or
published (outrigger publish).`;

export function addRollbackCommand(program: Command, io: Io): void {
  withAskOptions(withAwsOptions(program.command("rollback")))
    .description("move a channel back to an earlier release, and pin it")
    .argument("<channel>", "the channel", parseChannelName)
    .option("--to <release>", "this release, instead of the one before", parseReleaseName)
    .addHelpText("after", ROLLBACK_NOTES)
    .action((channel: string, options: MoveOptions) => move("rollback", channel, options, io));
}

export function addPinCommand(program: Command, io: Io): void {
  withAskOptions(withAwsOptions(program.command("pin")))
    .description("keep a channel where it is, or at a release")
    .argument("<channel>", "the channel", parseChannelName)
    .option("--to <release>", "the release, instead of the one that it serves", parseReleaseName)
    .addHelpText("after", PIN_NOTES)
    .action((channel: string, options: MoveOptions) => move("pin", channel, options, io));
}

export function addUnpinCommand(program: Command, io: Io): void {
  withAskOptions(withAwsOptions(program.command("unpin")))
    .description("let edits move a channel again")
    .argument("<channel>", "the channel", parseChannelName)
    .addHelpText("after", UNPIN_NOTES)
    .action(async (channel: string, options: MoveOptions) =>
      askAndPrint({ action: "unpin", channel }, options, await openDeployment(options, io), io),
    );
}

async function move(action: "rollback" | "pin", channel: string, options: MoveOptions, io: Io): Promise<void> {
  const release = options.to === undefined ? {} : { release: options.to };
  await askAndPrint({ action, channel, ...release }, options, await openDeployment(options, io), io);
}
