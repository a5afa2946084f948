// `outrigger rollout`: how a rollout goes, its next share, and the way back.
import { defined, OutriggerError, usageError } from "@outrigger/base";
import type { ChannelRecord } from "@outrigger/publisher";
import type { Command } from "commander";
import { openDeployment } from "../../connect/deployment.ts";
import { deploymentOptions } from "../../options/aws-options.ts";
import { namesContext, type RunningOptions, runningOptions } from "../../options/cluster-options.ts";
import { parseChannelName } from "../../options/names.ts";
import { type OptionsOf, optionTable, takes } from "../../options/option.ts";
import { readChannel } from "../../options/reference.ts";
import { selectionOptions, selectsClusters } from "../../options/selection-options.ts";
import { resultOptions } from "../../options/shared-options.ts";
import { askOptions, openAndAsk } from "../../releases/ask-and-print.ts";
import { showRings } from "../../releases/rings.ts";
import { type RolloutEvidence, rolloutEvidence, shareSince } from "../../releases/rollout-evidence.ts";
import { unsettledOf } from "../../releases/unsettled-release.ts";
import type { podEvidence } from "../../rollouts/running-cluster.ts";
import { ageOf } from "../../terminal/age-of.ts";
import type { Io } from "../../terminal/io.ts";
import { printResult, table } from "../../terminal/print.ts";

const NOTES = `
Counts are those of CloudWatch since the share began: pods that a release injected and denied, calls that failed or were late, and pods
that regressed: the share's release could not inject them, and the channel's own did in its place. With --cluster or --context,
the pods of that cluster are read: how many that were made since then are ready, and how many restart; and how the workloads of the share
do next to the others, and to what they were before where outrigger promote --restart restarts them.

With --rings, a row for each channel that follows another one (outrigger channel follow), behind the one that it follows. With --all or
--clusters too, the pods of the clusters are read that are served what a ring takes next: where more of its workloads are restarted, killed for
memory, slow or without an image than of the others there, the exit code is 1; where a cluster could not be read, it is 3. With too few others to
compare with, three that are not well are too many. The schedule sees no pods: outrigger pin holds the rings.

Pods are read with the roles of outrigger print rbac pods explain.

Exit codes: 0 no rollout, or one that continues; 1 one that waits for a person, or whose alarm is up, or a
channel that does not serve yet what was declared.

Examples:
  outrigger rollout status stable
  outrigger rollout status stable --cluster shop --context prod
  outrigger rollout status --rings
  outrigger rollout status --rings --all --role-name outrigger-operator
  outrigger rollout promote stable
  outrigger rollout abort stable -m "More 503s than before"`;

const STATUS_OPTIONS = optionTable({
  ...deploymentOptions,
  ...runningOptions,
  ...resultOptions,
  rings: { about: "how all channels go that follow another one, and what each waits for" },
  clusters: selectionOptions.clusters,
  all: selectionOptions.all,
  roleName: selectionOptions.roleName,
  maxConcurrency: selectionOptions.maxConcurrency,
});

export function addRolloutCommand(program: Command, io: Io): void {
  const rollout = program
    .command("rollout")
    .description("watch a rollout, move it on, or take it back")
    .addHelpText("afterAll", NOTES);
  takes(rollout.command("status"), STATUS_OPTIONS)
    .description("say how the rollout of a channel goes, by release")
    .argument("[channel]", "the channel", parseChannelName, "stable")
    .action(async (channel, options) => {
      if (options.rings === true) return showRings(await openDeployment(options, io), options, io);
      if (selectsClusters(options))
        throw usageError("Use --clusters and --all with --rings; of one rollout, name --cluster");
      return showStatus(channel, options, io);
    });
  const step = (name: string, description: string, direction: "next" | "back") =>
    takes(rollout.command(name), askOptions)
      .description(description)
      .argument("[channel]", "the channel", parseChannelName, "stable")
      .action((channel, options) => openAndAsk({ action: "step-rollout", channel, direction }, options, io));
  step("promote", "begin the next share of a rollout now", "next");
  step("abort", "serve the channel's own release to all workloads again", "back");
}

async function showStatus(channel: string, options: OptionsOf<typeof STATUS_OPTIONS>, io: Io): Promise<void> {
  const deployment = await openDeployment(options, io);
  const record = await readChannel(deployment, channel);
  const { release, share, rollout } = record;
  const seen = await podsOf(channel, record, options, io);
  const evidence = await rolloutEvidence(deployment, record, io.env, seen);
  const { alarms, signals = [], verdict } = evidence;
  const unsettled = await unsettledOf(deployment);
  const status = {
    channel,
    release,
    ...defined({ share, rollout, verdict, pods: seen?.pods, unsettled }),
    signals,
    alarms,
    counts: Object.fromEntries(evidence.counts),
  };
  printResult(io, options.json, status, textOf(channel, record, evidence, seen?.pods, unsettled));
  if (unsettled !== undefined) throw new OutriggerError("findings", unsettled, { path: channel });
  const isStuck = verdict?.kind === "abort" || (verdict?.kind === "wait" && verdict.isBaking !== true);
  const bad =
    rollout === undefined ? signals.find(({ verdict }) => verdict === "worse" || verdict === "suspect") : undefined;
  if (bad !== undefined) throw new OutriggerError("findings", `The share of ${channel} is worse: ${bad.why}`);
  if (isStuck) throw new OutriggerError("findings", `The rollout of ${channel} does not continue: ${verdict.why}`);
}

async function podsOf(channel: string, record: ChannelRecord, options: RunningOptions, io: Io) {
  if (options.cluster === undefined && !namesContext(options)) return undefined;
  const { openRunning, podEvidence } = await import("../../rollouts/running-cluster.ts");
  return podEvidence(await openRunning(options, io), channel, record, shareSince(record));
}

function textOf(
  channel: string,
  { release, share, rollout }: ChannelRecord,
  { verdict, alarms, signals = [], counts, since }: RolloutEvidence,
  pods: Awaited<ReturnType<typeof podEvidence>>["pods"] | undefined,
  unsettled: string | undefined,
): string {
  const age = ageOf(new Date(since).toISOString(), Date.now());
  const serves = unsettled === undefined ? "serves" : "is to serve";
  const rest = share?.percent === 100 ? `, and can still go back to ${release}` : `, and ${release} to the others`;
  const none = unsettled === undefined ? ": no rollout is under way" : "";
  const head =
    share === undefined
      ? `${channel} ${serves} ${release} to all workloads${none}\n`
      : `${channel} ${serves} ${share.release} to ${share.percent} % of the workloads since ${age}${rest}\n`;
  const next = rollout?.next.map((percent) => `${percent} %`).join(", ") || "none";
  const watched = Object.entries(alarms).map(([name, state]) => `Alarm ${name}: ${state}\n`);
  const judged = signals.map(({ name, why }) => `${name[0]?.toUpperCase()}${name.slice(1)}: ${why}\n`);
  const plan = [...(rollout === undefined ? [] : [`Next: ${next} (${verdict?.why})\n`, ...watched]), ...judged];
  // A share may be of the channel's own release.
  const rows = [...new Map(counts)].map(([name, { injected, denied, failed, regressed, late }]) => {
    const served = name === share?.release ? `${share.percent} %` : `${100 - (share?.percent ?? 0)} %`;
    const row = [name, served, `${injected}`, `${denied}`, `${failed}`, `${regressed}`, `${late}`];
    if (pods === undefined) return row;
    const { pods: all, ready, restarting } = pods[name] ?? { pods: 0, ready: 0, restarting: 0 };
    return [...row, `${ready} of ${all}`, `${restarting}`];
  });
  const columns = ["RELEASE", "SHARE", "INJECTED", "DENIED", "FAILED", "REGRESSED", "LATE"];
  const ofPods = pods === undefined ? [] : ["READY", "RESTARTING"];
  return [head, ...plan, "\n", table([...columns, ...ofPods], rows)].join("");
}
