// A rollout that the pods judge: the workloads of each share are restarted, watched and compared, and the next share begins, or all
// of it is taken back, pods included. Every state is in the channel's record or in the cluster's journal, so that a command that
// was stopped anywhere is continued by the same command.
import { jsonEqual, ownError } from "@outrigger/base";
import type { judgeShare } from "@outrigger/publisher";
import type { JudgePorts } from "../compare/judge-pod.ts";
import { readJournal } from "../restart/journal.ts";
import type { RestartJournal, RestartQuestion } from "../restart/journal-entry.ts";
import { failureText, isUnderWay, unfinished } from "../restart/journal-entry.ts";
import type { RestartPorts } from "../restart/run.ts";
import { runRestart } from "../restart/run-restart.ts";
import { measurePods } from "./measure-pods.ts";
import { podSignals, tallyBefore } from "./pod-signals.ts";

type PodEvidence = NonNullable<Parameters<typeof judgeShare>[1]["pods"]>;
type Verdict = NonNullable<ReturnType<typeof judgeShare>["verdict"]>;

/** The releases that a channel serves: its own, and another one to a share. */
export interface ServedShare {
  readonly release: string;
  readonly share?: { readonly release: string; readonly percent: number };
  /** The time since which the share is served: ISO 8601 in UTC. */
  readonly since?: string;
  /** The reason for the last move. */
  readonly why: string;
}

/** The ports of a rollout: a cluster, and the deployment whose channel is moved. */
export interface RolloutPorts extends Omit<RestartPorts, keyof JudgePorts | "look"> {
  /** Reads what decides about new pods from now on. It is read again for each share, when every webhook serves it. */
  readonly readJudge: () => Promise<JudgePorts>;
  readonly readChannel: () => Promise<ServedShare>;
  /** Judges the share by what its pods show, its alarms, and the calls of its release. */
  readonly judge: (pods: PodEvidence) => Promise<Verdict>;
  readonly step: (direction: "next" | "back", why: string) => Promise<void>;
}

/** A rollout: its channel, the share's release, and how many workloads are restarted at a time. */
type Rollout = { readonly channel: string; readonly release: string; readonly parallel: number };

/** The end of a rollout, or the state in which it is left. */
export interface RolloutEnd {
  readonly state: "complete" | "taken-back" | "stopped" | "waiting";
  readonly why: string;
  /** The journal of the last restart. */
  readonly journal?: RestartJournal;
}

/** Milliseconds between two looks at pods, alarms and the channel. */
const LOOK = 30_000;
/** The milliseconds after which a rollout that cannot continue is looked at again: an alarm may have data by then. */
const PATIENCE = 600_000;
/** A release that is taken back is no longer tried: workloads that lose it at a time. */
const BACK_PARALLEL = 10;

/**
 * @param deployment whose release it is
 * @throws OutriggerError `cluster-conflict` while another command restarts, or another restart is not finished
 */
export async function runRollout(deployment: string, request: Rollout, ports: RolloutPorts): Promise<RolloutEnd> {
  const { release } = request;
  for (;;) {
    const served = await ports.readChannel();
    if (served.release === release && served.share === undefined) return { state: "complete", why: served.why };
    if (served.share?.release !== release) return takeBack(deployment, release, served.why, ports);
    const found = await runStep(deployment, request, served, ports);
    if (found === undefined) continue;
    if ("state" in found) return found;
    const { kind, why } = found;
    ports.report(kind === "abort" ? `Taking ${release} back: ${why}` : `Continuing: ${why}`);
    await ports.step(kind === "abort" ? "back" : "next", why).catch((error: unknown) => {
      // The publish function, or a person, was faster: what is served now decides.
      ownError(error, "channel-moved");
    });
  }
}

type Step = Exclude<Verdict, { readonly kind: "wait" }> | RolloutEnd | undefined;

/** Restarts what the share has gained and watches it, until there is a verdict; undefined where the channel has moved. */
async function runStep(deployment: string, request: Rollout, served: ServedShare, ports: RolloutPorts): Promise<Step> {
  const { since = "" } = served;
  const { channel, release, parallel } = request;
  const share = { channel, release, since };
  const judgePorts = await ports.readJudge();
  const measure = (from: number) => measurePods(ports.kube, judgePorts, { channel, release, since: from }, ports.now());
  const evidence = async (journal: RestartJournal): Promise<PodEvidence> => ({
    signals: podSignals(await measure(Date.parse(since)), journal),
    ...(journal.state === "done" && { restarted: Date.parse(journal.ended ?? "") }),
  });
  const isMoved = async () => {
    const now = await ports.readChannel();
    return now.since !== served.since || !jsonEqual(now.share, served.share);
  };
  let next = 0;
  const look = async () => {
    const begun = ports.now();
    if (begun < next) return undefined;
    if (await isMoved()) return "the channel has moved";
    const running = await readJournal(ports.kube);
    const verdict = running && (await ports.judge(await evidence(running)));
    // Reading the pods of a large cluster is work for its API server.
    next = ports.now() + Math.max(LOOK, 10 * (ports.now() - begun));
    return verdict?.kind === "abort" ? verdict.why : undefined;
  };
  let journal = await journalOf({ share }, ports);
  if (journal === undefined || isUnderWay(journal) || journal.state === "stopped") {
    const before = journal?.before ?? tallyBefore(await measure(ports.now() - HOUR));
    const wanted = { question: { share }, parallel, before, isResumed: true };
    journal = await runRestart(deployment, wanted, { ...judgePorts, ...ports, look });
  }
  for (let stuck = ports.now(); ; await ports.sleep(LOOK)) {
    if (await isMoved()) return undefined;
    if (ports.signal?.aborted === true || journal.state === "stopped") return { state: "stopped", why: "", journal };
    const verdict = await ports.judge(await evidence(journal));
    if (verdict.kind !== "wait") return verdict;
    if (journal.failure !== undefined) return { state: "waiting", why: failureText(journal.failure), journal };
    if (verdict.stuck === undefined) stuck = ports.now();
    const isForPerson = verdict.stuck === undefined && verdict.isBaking !== true;
    if (isForPerson || ports.now() - stuck > PATIENCE) return { state: "waiting", why: verdict.why, journal };
  }
}

/** Pods that could not be made in so many milliseconds before count as usual for their workload. */
const HOUR = 3_600_000;

async function journalOf(question: RestartQuestion, { kube }: RolloutPorts): Promise<RestartJournal | undefined> {
  const journal = await readJournal(kube);
  if (journal === undefined || jsonEqual(journal.question, question)) return journal;
  const isOfRollout = journal.question.share !== undefined || journal.question.release !== undefined;
  if (isUnderWay(journal) && !isOfRollout) throw unfinished(journal);
  return undefined;
}

/** Restarts whatever has a release that its channel serves no more. */
async function takeBack(deployment: string, release: string, why: string, ports: RolloutPorts): Promise<RolloutEnd> {
  const question = { release };
  const earlier = await journalOf(question, ports);
  const wanted = { question, parallel: BACK_PARALLEL, isResumed: true, why: earlier?.why ?? why };
  const journal = await runRestart(deployment, wanted, { ...(await ports.readJudge()), ...ports });
  return { state: journal.state === "stopped" ? "stopped" : "taken-back", why: wanted.why, journal };
}
