// Where a promotion is whose pods judge it, which a command may have begun before it was stopped, and how its end reads. Pure.
import { OutriggerError } from "@outrigger/base";
import type { ChannelRecord } from "@outrigger/publisher";
import type { RestartJournal, runRollout } from "@outrigger/rollouts";

type End = Awaited<ReturnType<typeof runRollout>>;

interface AskedPromotion {
  readonly from: string;
  readonly to: string;
  /** The release that `from` serves. */
  readonly release: string;
  /** Whether what is under way may be replaced, and what was taken back be tried again. */
  readonly isReplaced: boolean;
}

/**
 * Whether a promotion is begun, or one that is under way continued.
 *
 * @param record of the channel that is promoted to
 * @param journal of the cluster's last restart
 * @throws OutriggerError `channel-moved` where a rollout of another release is under way, `findings` where the release was taken back
 */
export function stateOf(
  { from, to, release, isReplaced }: AskedPromotion,
  { release: own, share, rollout }: Pick<ChannelRecord, "release" | "share" | "rollout">,
  journal: Pick<RestartJournal, "question" | "state" | "why" | "at"> | undefined,
): "new" | "under way" {
  if (share === undefined && own === release) return "under way";
  if (rollout?.restart === true && !isReplaced) {
    if (share?.release === release) return "under way";
    const message = `Cannot promote ${release}: a rollout of ${share?.release} to ${to} is under way, and ${from} serves another release by now; take it back first (outrigger rollout abort ${to}), or use --force`;
    throw new OutriggerError("channel-moved", message, { path: to });
  }
  if (share !== undefined || journal === undefined || isReplaced) return "new";
  const { question, why, state, at } = journal;
  // Its share is gone, and its pods may still be there.
  if (question.share?.release === release && question.share.channel === to) return "under way";
  if (question.release !== release || why === undefined) return "new";
  if (state !== "done") return "under way";
  const message = `Cannot promote ${release}: it was taken back at ${at}: ${why}; publish a corrected release, or try it again with --force`;
  throw new OutriggerError("findings", message);
}

/** How a promotion ended, for people. */
export function promotionText({ state, why }: Pick<End, "state" | "why">): string {
  return `${WORDS[state] ?? "It does not continue: "}${why}\n`;
}

const WORDS: Readonly<Partial<Record<End["state"], string>>> = {
  complete: "All workloads have it: ",
  "taken-back": "It was taken back: ",
};

/** @throws OutriggerError `findings` where the release was taken back, or the rollout does not continue */
export function assertComplete({ state, why, journal }: End, release: string): void {
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
