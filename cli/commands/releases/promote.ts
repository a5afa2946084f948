// `outrigger promote`: a channel goes to the release that another one serves.

import { defined, OutriggerError } from "@outrigger/base";
import type { Command } from "commander";
import { openDeployment } from "../../connect/deployment.ts";
import { type AwsOptions, withAwsOptions } from "../../options/aws-options.ts";
import { parseChannelName, parseDuration, parseShares } from "../../options/names.ts";
import { type AskSettings, askAndPrint, withAskOptions } from "../../releases/ask-and-print.ts";
import type { MoveOptions } from "../../releases/resolve-move.ts";
import { type ReplicasOption, replicaSteps, withReplicasOption } from "../../releases/several-deployments.ts";
import type { Io } from "../../terminal/io.ts";
import { ifServingOption } from "./rollback.ts";

interface PromoteOptions extends AwsOptions, AskSettings, MoveOptions, ReplicasOption {
  readonly unpin?: true;
  readonly share?: readonly number[];
  readonly bake?: number;
  readonly abortOn?: readonly string[];
  readonly approve?: true;
  readonly replace?: true;
}

const NOTES = `
A channel that is pinned is not moved (exit code 3), unless --unpin says so. What both channels serve is read first, and the
request is refused (exit code 3) where that has changed when it arrives.

With --share, the channel keeps its own release and serves the other one to that share of its workloads. All pods of a workload
are served the same, and a share that grows only adds workloads. A share of 100 is the release for all; 0 takes it back.

With --bake, the next share begins by itself when the one before was served for that long; with a single share, the release is for
all then. With --abort-on, all of it is taken back as soon as a CloudWatch alarm is up; errors, latency, canary and the other names in
docs/operations.md are the deployment's own alarms. outrigger rollout status shows how it goes. While it goes on, edits of the
channel wait, and another promotion to it is refused (exit code 3), unless --replace says so.

With --replicas, deployments in other Regions serve it too, as one action: each keeps the release first, and when all have it, the
channel moves in each. If one cannot keep it, nothing has changed anywhere. docs/replica.md has the details.

A channel that needs approval (outrigger channel approval) moves when another person has run the same command with --approve.

Examples:
  outrigger diff stable canary
  outrigger promote canary stable --share 5,25,100 --bake 30m --abort-on errors
  outrigger promote canary stable --approve
  outrigger promote canary stable --share 5
  outrigger promote canary stable --share 0
  outrigger promote canary stable --deployment prod --replicas prod-b@eu-central-1
  outrigger promote canary stable -m "A week without complaints"`;

export function addPromoteCommand(program: Command, io: Io): void {
  withReplicasOption(withAskOptions(withAwsOptions(program.command("promote"))))
    .description("move a channel to the release that another channel serves")
    .argument("<from>", "the channel whose release is taken", parseChannelName)
    .argument("<to>", "the channel that moves", parseChannelName)
    .option("--unpin", "move the channel although it is pinned, and unpin it")
    .option(
      "--share <percent>",
      "serve the release to this share of the workloads; 5,25,100 one after the other",
      parseShares,
    )
    .option("--bake <time>", "how long each share is served before the next one begins: 30m, 1h30m", parseDuration)
    .option("--abort-on <alarm>", "take the share back when this CloudWatch alarm is up; repeatable", collectAlarm)
    .option("--replace", "although a rollout is under way: its alarms and its next shares are dropped")
    .option("--approve", "carry out what another person asked for")
    .addOption(ifServingOption())
    .addHelpText("after", NOTES)
    .action(async (from: string, to: string, options: PromoteOptions) => {
      const deployment = await openDeployment(options, io);
      const promotion = promotionOf(options, deployment.target.stage);
      const steps = options.replicas && (await replicaSteps(options.replicas, options, io));
      await askAndPrint({ action: "promote", from, to, ...promotion }, options, deployment, io, steps);
    });
}

/** The first share is served at once; the others follow by themselves, or a person begins them. */
function promotionOf({ unpin, share, bake, abortOn = [], approve, replace }: PromoteOptions, stage: string) {
  if (approve === true) {
    if (share === undefined && bake === undefined && abortOn.length === 0) return defined({ approve, replace });
    throw usage("--approve carries out what was asked for, as it was: leave --share, --bake and --abort-on out");
  }
  const [first, ...others] = share ?? [];
  const isRollout = others.length > 0 || bake !== undefined || abortOn.length > 0;
  if (isRollout && (first === undefined || first === 0 || first === 100)) {
    throw usage("--bake and --abort-on need a share of 1 to 99 percent to begin with (--share 5)");
  }
  if (!isRollout) return defined({ unpin, share: first, replace });
  const next = others.length === 0 && bake !== undefined ? [100] : others;
  const alarms = abortOn.map((alarm) => (OWN_ALARMS.includes(alarm) ? `outrigger-${stage}-${alarm}` : alarm));
  const rollout = { next, ...defined({ bake }), alarms };
  return { ...defined({ unpin, share: first, replace }), rollout };
}

/** Alarms of the deployment (infra/alarms.yml) that a release can cause. */
const OWN_ALARMS: readonly string[] = ["errors", "latency", "throttles", "canary", "image-invalid", "gateway-failed"];

function collectAlarm(name: string, before: readonly string[] = []): readonly string[] {
  return [...before, name];
}

function usage(why: string): OutriggerError {
  return new OutriggerError("usage", `Cannot promote: ${why}`);
}
