// A promotion whose pods judge it: begins it, or continues it, and says how it ended. Loaded only when a command runs.
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { defined, OutriggerError, ownError } from "@outrigger/base";
import { type ChannelRecord, judgeShare } from "@outrigger/publisher";
import { type RestartJournal, type RolloutPorts, readJournal, runRollout } from "@outrigger/rollouts";
import { stopSignal } from "../connect/connect-cluster.ts";
import { openDeployment } from "../connect/deployment.ts";
import type { RunningOptions } from "../options/cluster-options.ts";
import { readChannel } from "../options/reference.ts";
import { type ActionRequest, MAX_MESSAGE } from "../releases/action-request.ts";
import { type AskOptions, askAndPrint, askOnce } from "../releases/ask-and-print.ts";
import { seenOf } from "../releases/resolve-move.ts";
import { rolloutEvidence } from "../releases/rollout-evidence.ts";
import { showingRestart } from "../releases/show-effect.ts";
import { askYes } from "../terminal/ask-yes.ts";
import type { Io } from "../terminal/io.ts";
import { printResult, warn } from "../terminal/print.ts";
import { printable } from "../terminal/printable.ts";
import { STOPPING, untilServed } from "./restart-workloads.ts";
import { openRunning } from "./running-cluster.ts";

export interface PodPromotionOptions extends RunningOptions, AskOptions {
  readonly parallel: number;
  readonly yes?: true;
}

/** @throws OutriggerError `findings` where the release was taken back, or the rollout does not continue */
export async function promotePods(
  request: ActionRequest & { readonly action: "promote" },
  options: PodPromotionOptions,
  io: Io,
): Promise<void> {
  const { from, to: channel } = request;
  const report = (line: string) => void io.stderr.write(printable(`${line}\n`));
  const deployment = await openDeployment(options, io);
  // A cluster that cannot be reached is not found out once the channel has moved.
  const cluster = await openRunning(options, io);
  const record = await readChannel(deployment, channel);
  const release = (await readChannel(deployment, from)).release;
  const journal = await readJournal(cluster.kube);
  const place = placeOf(record, journal, release, request.replace === true);
  if (place === "other") throw underWay(from, channel, record, release);
  if (place === "returned") throw returned(release, journal);
  if (options.dryRun === true) {
    if (place === "under way")
      report(`A rollout of ${release} is under way: without --dry-run, this command continues it`);
    const question = (digest: string) => ({ share: { channel, release: digest, since: "" } });
    const { share = 0, rollout } = request;
    const shown = showingRestart(options, question, io, [share, ...(rollout?.next ?? [])]);
    return askAndPrint(request, shown, deployment, io);
  }
  if (place === "new") {
    const question = `Restart the workloads of ${cluster.name}, share by share?`;
    const confirm = options.yes === true ? undefined : () => askYes(io, question, "Nothing was promoted");
    const settings = { ...options, ...defined({ confirm }) };
    const { message, warnings } = await askOnce(request, settings, deployment, io);
    report(message);
    for (const warning of warnings) warn(warning, io);
    // On a channel that needs approval, it waits.
    if ((await readChannel(deployment, channel)).share?.release !== release) return;
  } else if (place === "under way") report(`Continuing the rollout of ${release}`);
  const asked = { channel, release, parallel: options.parallel };
  const end = await runRollout(deployment.target.stage, asked, await portsOf(channel, options, cluster, report, io));
  const value = { cluster: cluster.name, channel, release, ...end };
  printResult(io, options.json, value, `${WORDS[end.state] ?? "It does not continue: "}${end.why}\n`);
  assertComplete(end, release);
}

/** Says where a promotion is that a command may have begun before it was stopped. */
function placeOf(
  { release: own, share, rollout }: ChannelRecord,
  journal: RestartJournal | undefined,
  release: string,
  isReplaced: boolean,
): "new" | "under way" | "other" | "returned" {
  if (share === undefined && own === release) return "under way";
  if (rollout?.restart === true && !isReplaced) return share?.release === release ? "under way" : "other";
  if (share !== undefined || journal === undefined || isReplaced) return "new";
  const { question } = journal;
  // Its share is gone, and its pods may still be there.
  if (question.share?.release === release && question.share.channel !== undefined) return "under way";
  if (question.release !== release || journal.why === undefined) return "new";
  return journal.state === "done" ? "returned" : "under way";
}

function underWay(from: string, channel: string, { share }: ChannelRecord, release: string): OutriggerError {
  return new OutriggerError(
    "channel-moved",
    `Cannot promote ${release}: a rollout of ${share?.release} to ${channel} is under way, and ${from} serves another release by now; take it back first (outrigger rollout abort ${channel}), or use --force`,
    { path: channel },
  );
}

function returned(release: string, journal: RestartJournal | undefined): OutriggerError {
  return new OutriggerError(
    "findings",
    `Cannot promote ${release}: it was taken back at ${journal?.at}: ${journal?.why}; publish a corrected release, or try it again with --force`,
  );
}

async function portsOf(
  channel: string,
  options: PodPromotionOptions,
  cluster: Awaited<ReturnType<typeof openRunning>>,
  report: (line: string) => void,
  io: Io,
): Promise<RolloutPorts> {
  const { deployment, kube } = cluster;
  let record = await readChannel(deployment, channel);
  return {
    kube,
    report,
    now: Date.now,
    sleep: io.sleep ?? pause,
    id: randomUUID(),
    by: await deployment.caller(),
    signal: stopSignal(io, report, STOPPING),
    readJudge: async () => {
      await untilServed(cluster, io);
      return openRunning(options, io);
    },
    readChannel: async () => {
      record = await readChannel(deployment, channel);
      const { release, share, rollout, history } = record;
      const why = history[0]?.why ?? "";
      return { release, why, ...(share && { share }), ...(rollout && { since: rollout.since }) };
    },
    judge: async (pods) => {
      const { verdict } = await rolloutEvidence(deployment, record, io.env, pods).catch((error: unknown) => {
        ownError(error);
        // What cannot be counted lets nothing continue, but pods that are worse are taken back.
        return judgeShare(record, { states: undefined, counts: undefined, pods, now: Date.now() });
      });
      return verdict ?? { kind: "wait", why: "it has no rollout: the next share is begun by a person" };
    },
    step: async (direction, why) => {
      const seen = defined({ seen: seenOf(record) });
      const settings = { message: why.slice(0, MAX_MESSAGE) };
      const request = { action: "step-rollout", channel, direction, ...seen } as const;
      report((await askOnce(request, settings, deployment, io)).message);
    },
  };
}

type End = Awaited<ReturnType<typeof runRollout>>;

const WORDS: Readonly<Partial<Record<End["state"], string>>> = {
  complete: "All workloads have it: ",
  "taken-back": "It was taken back: ",
};

function assertComplete({ state, why, journal }: End, release: string): void {
  if (state === "complete") return;
  const left = journal?.left.map(({ workload, why: reason }) => `${workload} (${reason})`).join(", ");
  const rest = left ? `; left as they were: ${left}` : "";
  if (state === "taken-back") throw new OutriggerError("findings", `${release} was taken back: ${why}${rest}`);
  const next =
    state === "stopped"
      ? "It was stopped: run the same command again to continue"
      : `The rollout does not continue: ${why}; run the same command again, or take it back (outrigger rollout abort CHANNEL)`;
  throw new OutriggerError("findings", next);
}
