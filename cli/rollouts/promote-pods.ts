// A promotion whose pods judge it: begins it, or continues it, and says how it ended. Loaded only when a command runs.
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { defined, ownError } from "@outrigger/base";
import { judgeShare } from "@outrigger/publisher";
import { type RolloutPorts, readJournal, runRollout } from "@outrigger/rollouts";
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
import { assertComplete, promotionText, stateOf } from "./promotion-state.ts";
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
  const asked = { from, to: channel, release, isReplaced: request.replace === true };
  const state = stateOf(asked, record, journal);
  if (options.dryRun === true) {
    if (state === "under way")
      report(`A rollout of ${release} is under way: without --dry-run, this command continues it`);
    const question = (digest: string) => ({ share: { channel, release: digest, since: "" } });
    const { share = 0, rollout } = request;
    const shown = showingRestart(options, question, io, [share, ...(rollout?.next ?? [])]);
    return askAndPrint(request, shown, deployment, io);
  }
  if (state === "new") {
    const question = `Restart the workloads of ${cluster.name}, share by share?`;
    const confirm = options.yes === true ? undefined : () => askYes(io, question, "Nothing was promoted");
    const settings = { ...options, ...defined({ confirm }) };
    const { message, warnings } = await askOnce(request, settings, deployment, io);
    report(message);
    for (const warning of warnings) warn(warning, io);
    // On a channel that needs approval, it waits.
    if ((await readChannel(deployment, channel)).share?.release !== release) return;
  } else report(`Continuing the rollout of ${release}`);
  const rollout = { channel, release, parallel: options.parallel };
  const end = await runRollout(deployment.target.stage, rollout, await portsOf(channel, options, cluster, report, io));
  const value = { cluster: cluster.name, channel, release, ...end };
  printResult(io, options.json, value, promotionText(end));
  assertComplete(end, release);
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
