// `outrigger rollback` and `pin`: a channel goes back, and stays there.
import { defined, usageError } from "@outrigger/base";
import { type Command, InvalidArgumentError, Option } from "commander";
import { openDeployment } from "../../connect/deployment.ts";
import { runningOptions } from "../../options/cluster-options.ts";
import { parseChannelName, parseReleaseName } from "../../options/names.ts";
import { type OptionsOf, optionTable, takes } from "../../options/option.ts";
import { readChannel } from "../../options/reference.ts";
import { sharedOptions } from "../../options/shared-options.ts";
import { type AskOptions, askAndPrint, askOptions, openAndAsk } from "../../releases/ask-and-print.ts";
import { wholeDigest } from "../../releases/read-records.ts";
import { rollBackEverywhere } from "../../releases/roll-back-everywhere.ts";
import { showingEffect, showingRestart } from "../../releases/show-effect.ts";
import type { Io } from "../../terminal/io.ts";

const ROLLBACK_NOTES = `
A channel that was rolled back is pinned: edits are no longer published to it until it is unpinned, or published to by
with --unpin. So it stays rolled back whatever the source tree says.

The release to go back to is read first, and the request says from which release to which. Of two people who roll back at
the same time, one moves the channel; the other reports that it serves that release. If a run ends without an answer, run the
same command again: it is carried out once. What changes for pods is printed first, and never held: going back waits for nobody.

Pods that were made in the meantime keep the release that was taken back. With --restart, the workloads that have such pods are
restarted too, ten at a time, healthy or not (outrigger restart --help): name the cluster with --cluster or --context.

During a share, its release is taken back, and the other workloads keep theirs; run it again, or say how many, to go back further.

With --everywhere, each other channel that serves the same release goes back too, to the one that it served before, and is pinned. What
follows a pinned channel takes nothing from it (outrigger channel follow). The channel that came to serve it last is the first, and the
one that is named the last: run again after an interruption, the command goes on.

With --dry-run and a cluster (--cluster or --context), it shows which workloads of the cluster would come out differently; with
--restart also which would be restarted, and which of their next pods the cluster would refuse.

Examples:
  outrigger rollback stable --dry-run --context prod
  outrigger rollback stable --restart --dry-run --context prod
  outrigger rollback stable -m "Pods do not start"
  outrigger rollback stable 1f2e
  outrigger rollback stable 2
  outrigger rollback ring-1 --everywhere -m "Pods do not start"
  outrigger rollback stable --restart --context prod
  outrigger rollback stable --deployment prod --replicas prod-b@eu-central-1
  outrigger rollback stable --if-serving 1f2e3d4c5b6a`;

const PIN_NOTES = `
Edits, publish and promote do not move a pinned channel, unless they say --unpin. outrigger rollback and pin move it.

With --off, the next edit is published to the channel again; edits that were made before are not, until the tree is edited again or
published (outrigger publish).

Examples:
  outrigger pin stable
  outrigger pin stable 1f2e3d4c5b6a
  outrigger pin stable --off`;

const ROLLBACK_OPTIONS = optionTable({
  ...askOptions,
  replicas: sharedOptions.replicas,
  ...runningOptions,
  ifServing: sharedOptions.ifServing,
  everywhere: {
    about: "also each other channel that serves the release that is taken back",
  },
  restart: { about: "then restart the workloads that have pods of the release that was taken back" },
  yes: sharedOptions.yes,
});

/** The options of a command that moves a channel, and the release that its argument names. */
interface MoveCommandOptions extends AskOptions {
  readonly to?: string;
}

type RollbackOptions = MoveCommandOptions & OptionsOf<typeof ROLLBACK_OPTIONS>;

export function addRollbackCommand(program: Command, io: Io): void {
  takes(program.command("rollback"), ROLLBACK_OPTIONS)
    .description("move a channel back to an earlier release, and pin it")
    .argument("<channel>", "the channel", parseChannelName)
    .argument("[release]", "this release, or the one so many releases back: 2", parseBack)
    .addHelpText("after", ROLLBACK_NOTES)
    .action((channel, back, options) => {
      const moved = { ...options, ...back };
      if (options.everywhere === true) return everywhere(channel, moved, io);
      return options.restart === true ? rollBackPods(channel, moved, io) : move("rollback", channel, moved, io);
    });
}

async function everywhere(channel: string, options: RollbackOptions & Partial<Back>, io: Io): Promise<void> {
  const { to, steps, restart, replicas, ifServing } = options;
  if ([to, steps, restart, replicas, ifServing].some((given) => given !== undefined)) {
    const why =
      "each channel goes back to the release before; leave out the release, --restart, --replicas and --if-serving";
    throw usageError(`Cannot roll back with --everywhere: ${why}`);
  }
  await rollBackEverywhere(channel, options, io);
}

/** The release that is served first: during a share, that of the share. */
async function rollBackPods(channel: string, options: RollbackOptions, io: Io): Promise<void> {
  const { openRunning } = await import("../../rollouts/running-cluster.ts");
  const { restartWorkloads } = await import("../../rollouts/restart-workloads.ts");
  const before = await readChannel(await openDeployment(options, io), channel);
  const question = { release: before.share?.release ?? before.release };
  if (options.dryRun === true)
    return move(
      "rollback",
      channel,
      showingRestart(options, () => question, io),
      io,
    );
  // A cluster that cannot be reached is not found out once the channel has moved.
  await openRunning(options, io);
  await move("rollback", channel, options, io);
  const settings = { question, parallel: 10, isResumed: false, ...defined({ yes: options.yes }) };
  await restartWorkloads(await openRunning(options, io), settings, io);
}

const PIN_OPTIONS = optionTable({
  ...askOptions,
  off: { about: "let edits move the channel again" },
  ifServing: sharedOptions.ifServing,
});

export function addPinCommand(program: Command, io: Io): void {
  takes(program.command("pin"), PIN_OPTIONS)
    .description("keep a channel where it is, or at a release; with --off, let edits move it again")
    .argument("<channel>", "the channel", parseChannelName)
    .argument("[release]", "the release, instead of the one that it serves", parseReleaseName)
    .addHelpText("after", PIN_NOTES)
    .action((channel, to, options) => {
      const moved = { ...options, ...defined({ to }) };
      return options.off === true ? unpin(channel, moved, io) : move("pin", channel, moved, io);
    });
}

async function unpin(channel: string, options: MoveCommandOptions, io: Io): Promise<void> {
  if (options.to !== undefined || options.ifServing !== undefined) {
    throw usageError("Cannot use --off with a release or --if-serving: the channel stays where it is");
  }
  await openAndAsk({ action: "unpin", channel }, options, io);
}

async function move(action: "rollback" | "pin", channel: string, options: MoveCommandOptions, io: Io): Promise<void> {
  const deployment = await openDeployment(options, io);
  const release = options.to && (await wholeDigest(options.to, deployment, io));
  const shown = options.readEffect === undefined ? showingEffect(options, io) : options;
  await askAndPrint({ action, channel, ...defined({ release }) }, shown, deployment, io);
}

/** The option by which a pipeline says what it expects a channel to serve. */
export function ifServingOption(): Option {
  return new Option("--if-serving <release>", "only if the channel serves this release").argParser(parseReleaseName);
}

interface Back {
  readonly to?: string;
  readonly steps?: number;
}

function parseBack(text: string): Back {
  if (!/^\d{1,2}$/.test(text)) return { to: parseReleaseName(text) };
  if (Number(text) >= 1 && Number(text) <= 19) return { steps: Number(text) };
  throw new InvalidArgumentError("A channel remembers twenty releases: go back 1 to 19 of them.");
}
