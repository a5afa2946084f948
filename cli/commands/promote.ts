// `outrigger promote`: a channel goes to the release that another one serves.
import type { Command } from "commander";
import { type AskSettings, askAndPrint, withAskOptions } from "../ask-and-print.ts";
import { type AwsOptions, withAwsOptions } from "../aws-options.ts";
import { openDeployment } from "../deployment.ts";
import type { Io } from "../io.ts";
import { parseChannelName } from "../names.ts";

interface PromoteOptions extends AwsOptions, AskSettings {}

const NOTES = `
Examples:
  outrigger diff stable canary
  outrigger promote canary stable -m "A week without complaints"`;

export function addPromoteCommand(program: Command, io: Io): void {
  withAskOptions(withAwsOptions(program.command("promote")))
    .description("move a channel to the release that another channel serves")
    .argument("<from>", "the channel whose release is taken", parseChannelName)
    .argument("<to>", "the channel that moves", parseChannelName)
    .addHelpText("after", NOTES)
    .action(async (from: string, to: string, options: PromoteOptions) =>
      askAndPrint({ action: "promote", from, to }, options, await openDeployment(options, io), io),
    );
}
