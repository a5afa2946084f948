// `outrigger promote`: a channel goes to the release that another one serves.
import type { Command } from "commander";
import { defined } from "../../lib/defined.ts";
import { type AskSettings, askAndPrint, withAskOptions } from "../ask-and-print.ts";
import { type AwsOptions, withAwsOptions } from "../aws-options.ts";
import { openDeployment } from "../deployment.ts";
import type { Io } from "../io.ts";
import { parseChannelName, parsePercent } from "../names.ts";
import type { MoveOptions } from "../resolve-move.ts";
import { ifServingOption } from "./rollback.ts";

interface PromoteOptions extends AwsOptions, AskSettings, MoveOptions {
  readonly unpin?: true;
  readonly share?: number;
}

const NOTES = `
A channel that is pinned is not moved (exit code 3), unless --unpin says so. What both channels serve is read first, and the
request is refused (exit code 3) where that has changed when it arrives.

With --share, the channel keeps its own release and serves the other one to that share of its workloads. All pods of a workload
are served the same, and a share that grows only adds workloads. A share of 100 is the release for all; 0 takes it back.

Examples:
  outrigger diff stable canary
  outrigger promote canary stable --share 5
  outrigger promote canary stable --share 0
  outrigger promote canary stable -m "A week without complaints"`;

export function addPromoteCommand(program: Command, io: Io): void {
  withAskOptions(withAwsOptions(program.command("promote")))
    .description("move a channel to the release that another channel serves")
    .argument("<from>", "the channel whose release is taken", parseChannelName)
    .argument("<to>", "the channel that moves", parseChannelName)
    .option("--unpin", "move the channel although it is pinned, and unpin it")
    .option("--share <percent>", "serve the release to this share of the workloads, from 0 to 100", parsePercent)
    .addOption(ifServingOption())
    .addHelpText("after", NOTES)
    .action(async (from: string, to: string, options: PromoteOptions) =>
      askAndPrint(
        { action: "promote", from, to, ...defined({ unpin: options.unpin, share: options.share }) },
        options,
        await openDeployment(options, io),
        io,
      ),
    );
}
