// `outrigger promote`: a channel goes to the release that another one serves.
import { defined, type OutriggerError, usageError } from "@outrigger/base";
import type { Command } from "commander";
import { openDeployment } from "../../connect/deployment.ts";
import { runningOptions } from "../../options/cluster-options.ts";
import { parseChannelName } from "../../options/names.ts";
import { type OptionsOf, optionTable, takes } from "../../options/option.ts";
import { sharedOptions } from "../../options/shared-options.ts";
import { acceptedIn } from "../../releases/action-request.ts";
import { askAndPrint, askOptions } from "../../releases/ask-and-print.ts";
import { rolloutPlan } from "../../releases/rollout-plan.ts";
import { showingEffect } from "../../releases/show-effect.ts";
import type { Io } from "../../terminal/io.ts";

const NOTES = `
A channel that is pinned is not moved (exit code 3), unless --unpin says so. What both channels serve is read first, and the
request is refused (exit code 3) where that has changed when it arrives.

What changes for pods is printed first. What the channel holds (outrigger channel holds) is refused (exit code 3) until you accept it
by its name; the refusal has the command. A release that the channel has served before is not held.

With --share, the channel keeps its own release and serves the other one to that share of its workloads. All pods of a workload
are served the same, and a share that grows only adds workloads. A share of 100 is the release for all; 0 takes it back.

With --bake, the next share begins by itself when the one before was served for that long; with a single share, the release is for
all then. With --abort-on, all of it is taken back as soon as a CloudWatch alarm is up; errors, latency, canary and the other names in
docs/operations.md are the deployment's own alarms. outrigger rollout status shows how it goes. While it continues, edits of the
channel wait, and another promotion to it is refused (exit code 3), unless --force says so.

With --restart, the pods judge: each step restarts the workloads that the share has gained (outrigger restart --help), watches them for
the time of --bake (10m by default) and compares them with what they were before and with the others. The next share begins when
they are well. If they are not, all of it is taken back, and those workloads are restarted again. Name the cluster with --cluster or
--context. The command runs until the end; one that was stopped is continued by the same command.

With --replicas, deployments in other Regions serve it too, as one action: each keeps the release first, and when all have it, the
channel moves in each. If one cannot keep it, nothing has changed anywhere. docs/replica.md has the details.

A channel that needs approval (outrigger channel approval) moves when another person has run the same command with --approve.

With --dry-run and a cluster (--cluster or --context), it shows which workloads of the cluster would come out differently; with
--restart also which would be restarted with which share, and which of their next pods the cluster would refuse.

Examples:
  outrigger diff stable canary
  outrigger promote canary stable --dry-run --context prod
  outrigger promote canary stable --share 5,25,100 --restart --dry-run --context prod
  outrigger promote canary stable --share 5,25,100 --bake 30m --abort-on errors
  outrigger promote canary stable --share 5,25,100 --restart --context prod
  outrigger promote canary stable --approve
  outrigger promote canary stable --share 5
  outrigger promote canary stable --share 0
  outrigger promote canary stable --deployment prod --replicas prod-b@eu-central-1
  outrigger promote canary stable -m "A week without complaints"`;

const PROMOTE_OPTIONS = optionTable({
  ...askOptions,
  replicas: sharedOptions.replicas,
  ...runningOptions,
  unpin: sharedOptions.unpin,
  share: sharedOptions.share,
  bake: { ...sharedOptions.bake, about: "how long each share is served before the next one begins: 30m, 1h30m" },
  abortOn: sharedOptions.abortOn,
  restart: { about: "restart the workloads of each share, and let their pods decide whether it continues" },
  parallel: { ...sharedOptions.parallel, about: "so many workloads at a time, with --restart", default: 1 },
  yes: sharedOptions.yes,
  force: { about: "although a rollout is under way, which is dropped, or the pods had the release taken back" },
  approve: { about: "carry out what another person asked for" },
  accept: { argument: "<classes>", about: "promote although it does this to pods, separated by commas" },
  ifServing: sharedOptions.ifServing,
});

type PromoteOptions = OptionsOf<typeof PROMOTE_OPTIONS>;

export function addPromoteCommand(program: Command, io: Io): void {
  takes(program.command("promote"), PROMOTE_OPTIONS)
    .description("move a channel to the release that another channel serves")
    .argument("<from>", "the channel whose release is taken", parseChannelName)
    .argument("<to>", "the channel that moves", parseChannelName)
    .addHelpText("after", NOTES)
    .action(async (from, to, options) => {
      if (options.restart === true) return promoteWithPods(from, to, options, io);
      const deployment = await openDeployment(options, io);
      const promotion = { ...promotionOf(options, deployment.target.stage), ...acceptedIn(options.accept) };
      await askAndPrint({ action: "promote", from, to, ...promotion }, showingEffect(options, io), deployment, io);
    });
}

async function promoteWithPods(from: string, to: string, options: PromoteOptions, io: Io): Promise<void> {
  const { share = [], approve, replicas } = options;
  if (approve === true)
    throw usage("leave --restart out with --approve; then run the command that was asked for again");
  if (replicas !== undefined) throw usage("--restart judges the pods of one deployment: leave --replicas out");
  if (share.length === 0) {
    throw usage("--restart needs shares (--share 5,25,100); to restart after a promotion, use outrigger restart");
  }
  const { promotePods } = await import("../../rollouts/promote-pods.ts");
  const { target } = await openDeployment(options, io);
  const promotion = { ...promotionOf(options, target.stage), ...acceptedIn(options.accept) };
  await promotePods({ action: "promote", from, to, ...promotion }, options, io);
}

function promotionOf(options: PromoteOptions, stage: string) {
  const { unpin, share, bake, abortOn = [], approve, force: replace, restart } = options;
  if (approve !== true)
    return defined({
      unpin,
      replace,
      ...rolloutPlan(defined({ share, bake, abortOn, restart }), stage, "Cannot promote"),
    });
  if (share === undefined && bake === undefined && abortOn.length === 0) return defined({ approve, replace });
  throw usage("--approve carries out what was asked for, as it was: leave --share, --bake and --abort-on out");
}

function usage(why: string): OutriggerError {
  return usageError(`Cannot promote: ${why}`);
}
