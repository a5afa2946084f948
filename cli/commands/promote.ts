// `outrigger promote`: a channel goes to the release that another one serves.
import type { Command } from "commander";
import { defined } from "../../lib/defined.ts";
import { type AskSettings, askAndPrint, withAskOptions } from "../ask-and-print.ts";
import { type AwsOptions, withAwsOptions } from "../aws-options.ts";
import { openDeployment } from "../deployment.ts";
import type { Io } from "../io.ts";
import { parseChannelName } from "../names.ts";
import type { MoveOptions } from "../resolve-move.ts";
import { ifServingOption } from "./rollback.ts";

interface PromoteOptions extends AwsOptions, AskSettings, MoveOptions {
  readonly unpin?: true;
}

const NOTES = `
A channel that is pinned is not moved (exit code 3), unless --unpin says so. What both channels serve is read first, and the
request is refused (exit code 4) where that has changed when it arrives.

Examples:
  outrigger diff stable canary
  outrigger promote canary stable -m "A week without complaints"`;

export function addPromoteCommand(program: Command, io: Io): void {
  withAskOptions(withAwsOptions(program.command("promote")))
    .description("move a channel to the release that another channel serves")
    .argument("<from>", "the channel whose release is taken", parseChannelName)
    .argument("<to>", "the channel that moves", parseChannelName)
    .option("--unpin", "move the channel although it is pinned, and unpin it")
    .addOption(ifServingOption())
    .addHelpText("after", NOTES)
    .action(async (from: string, to: string, options: PromoteOptions) =>
      askAndPrint(
        { action: "promote", from, to, ...defined({ unpin: options.unpin }) },
        options,
        await openDeployment(options, io),
        io,
      ),
    );
}
