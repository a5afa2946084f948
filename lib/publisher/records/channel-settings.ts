// What a channel has besides releases: whether another person must approve what is promoted to it, and what waits for that.
import { defined, type JsonValue, OutriggerError, objectOf } from "@outrigger/base";
import { isRolloutPlan, type RolloutPlan } from "../rollout/rollout.ts";

/** A promotion that waits for another person. */
export interface Proposal {
  readonly from: string;
  readonly release: string;
  /** What the channel served when it was asked for. */
  readonly serving: string;
  /** Percent of the workloads; left out: all. */
  readonly share?: number;
  readonly rollout?: RolloutPlan;
  readonly by: string;
  readonly why: string;
  /** ISO 8601, UTC. */
  readonly at: string;
}

export interface ChannelSettings {
  /** Promotions wait until another person has approved them. */
  readonly approval?: true;
  readonly proposal?: Proposal;
}

/** Milliseconds for which a promotion may be approved: what was asked for a day ago is asked for again. */
const GOOD_FOR = 24 * 60 * 60 * 1000;

/** The settings that a record or a log's entry has; what is no setting is left out. */
export function parseSettings(value: JsonValue | undefined): ChannelSettings {
  const { approval, proposal } = objectOf(value);
  const parsed = parseProposal(proposal);
  return defined({ approval: approval === true ? (true as const) : undefined, proposal: parsed });
}

function parseProposal(value: JsonValue | undefined): Proposal | undefined {
  const { from, release, serving, share, rollout, by, why, at } = objectOf(value);
  if (typeof from !== "string" || typeof release !== "string" || typeof serving !== "string") return undefined;
  if (typeof by !== "string" || typeof why !== "string" || typeof at !== "string") return undefined;
  if (share !== undefined && !(typeof share === "number" && Number.isInteger(share))) return undefined;
  if (rollout !== undefined && !isRolloutPlan(rollout)) return undefined;
  return { from, release, serving, ...defined({ share, rollout }), by, why, at };
}

/**
 * The promotion that a person approves.
 *
 * @throws OutriggerError `channel-moved` where nothing waits, or something else does; `channel-pinned` for the person who asked for it
 */
export function approved(
  channel: string,
  { proposal }: ChannelSettings,
  seen: { readonly from: string; readonly release: string | undefined; readonly by: string; readonly now: Date },
): Proposal {
  const isCurrent = proposal !== undefined && seen.now.getTime() - Date.parse(proposal.at) < GOOD_FOR;
  if (!isCurrent) {
    const message = `Cannot approve a promotion to ${channel}: none has waited since yesterday; ask for it with "outrigger promote ${seen.from} ${channel}"`;
    throw new OutriggerError("channel-moved", message, { path: channel });
  }
  const { from, release, by, at } = proposal;
  if (from !== seen.from || (seen.release !== undefined && seen.release !== release)) {
    const message = `Cannot approve ${seen.release ?? "a release"} of ${seen.from} for ${channel}: ${release} of ${from} waits (asked by ${by}, ${at}); look at "outrigger channel ${channel}"`;
    throw new OutriggerError("channel-moved", message, { path: channel });
  }
  if (by !== seen.by) return proposal;
  const message = `Cannot approve ${release} for ${channel}: you asked for it yourself (${by}); another person approves it with "outrigger promote ${from} ${channel} --approve"`;
  throw new OutriggerError("channel-pinned", message, { path: channel });
}

/**
 * Refuses what would serve a release that nobody approved: going back to one that the channel has served is free.
 *
 * @throws OutriggerError `channel-pinned`
 */
export function assertApproved(
  channel: string,
  { approval, history = [] }: ChannelSettings & { readonly history?: readonly { readonly release: string }[] },
  release: string,
): void {
  if (approval !== true || history.some((move) => move.release === release)) return;
  const message = `Cannot move ${channel} to ${release}: it takes what another person approves, and has not served this release; use "outrigger promote FROM ${channel}", which another person approves`;
  throw new OutriggerError("channel-pinned", message, { path: channel });
}
