// What a channel has besides releases: whether edits go to it and what they may carry by themselves, whether another person must
// approve what is promoted to it, which channel it follows, and what waits for a person.
import { defined, type JsonValue, OutriggerError, objectOf, textOf } from "@outrigger/base";
import { type Effect, type EffectName, isEffectName } from "../effect/effects.ts";
import type { DatedCause } from "../request/publisher-result.ts";
import { type Following, isFollowing } from "../rollout/following.ts";
import { isRolloutPlan, type RolloutPlan } from "../rollout/rollout.ts";

/** A promotion that waits for another person, or an edit that waits for one. */
export interface Proposal extends DatedCause {
  /** The channel that is promoted; of an edit, `source`. */
  readonly from: string;
  readonly release: string;
  /** The release that the channel served when the move was asked for. */
  readonly serving: string;
  /** Percent of the workloads; left out: all. */
  readonly share?: number;
  readonly rollout?: RolloutPlan;
  /** The effects on pods that the channel holds, with an example each. Only an edit has them. */
  readonly held?: readonly Effect[];
  /** The treeDigest of an edit's source tree. */
  readonly tree?: string;
}

export interface ChannelSettings {
  /** Promotions wait until another person has approved them. */
  readonly approval?: true;
  readonly proposal?: Proposal;
  /**
   * The effects that a publication that no person asked for may not carry. If they are left out, they are
   * HELD_BY_DEFAULT.
   */
  readonly holds?: readonly EffectName[];
  /** The time since which edits go to this channel, ISO 8601, UTC. Of all channels, the one with the latest time gets them. */
  readonly editsSince?: string;
  /** The channel whose releases it takes by itself, and when. */
  readonly follows?: Following;
}

/** The settings of a record, without what it serves. */
export function settingsOf({ approval, proposal, holds, editsSince, follows }: ChannelSettings): ChannelSettings {
  return defined({ approval, proposal, holds, editsSince, follows });
}

/** Milliseconds for which a promotion may be approved: what was asked for a day ago is asked for again. */
const GOOD_FOR = 24 * 60 * 60 * 1000;

/** The settings that a record or a log's entry has; what is no setting is left out. */
export function parseSettings(value: JsonValue | undefined): ChannelSettings {
  const { approval, proposal, holds, editsSince, follows } = objectOf(value);
  return defined({
    approval: approval === true ? (true as const) : undefined,
    proposal: parseProposal(proposal),
    // A class of a later version is none that this one can find.
    holds: Array.isArray(holds) ? holds.filter(isEffectName) : undefined,
    editsSince: textOf(editsSince),
    follows: isFollowing(follows) ? follows : undefined,
  });
}

function parseProposal(value: JsonValue | undefined): Proposal | undefined {
  const { from, release, serving, share, rollout, held, tree, by, why, at } = objectOf(value);
  if (typeof from !== "string" || typeof release !== "string" || typeof serving !== "string") return undefined;
  if (typeof by !== "string" || typeof why !== "string" || typeof at !== "string") return undefined;
  if (share !== undefined && !(typeof share === "number" && Number.isInteger(share))) return undefined;
  if (rollout !== undefined && !isRolloutPlan(rollout)) return undefined;
  const effects = held === undefined ? undefined : parseEffects(held);
  if (held !== undefined && (effects === undefined || typeof tree !== "string")) return undefined;
  const edit = effects === undefined ? {} : { held: effects, tree: tree as string };
  return { from, release, serving, ...defined({ share, rollout }), ...edit, by, why, at };
}

function parseEffects(value: JsonValue): readonly Effect[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const effects = value.flatMap((each) => {
    const { name, example } = objectOf(each);
    return isEffectName(name) && typeof example === "string" ? [{ name, example }] : [];
  });
  return effects.length === value.length ? effects : undefined;
}

/** Whether a proposal is an edit that waits, and not a promotion. */
export function isHeldEdit(
  proposal: Proposal | undefined,
): proposal is Proposal & Required<Pick<Proposal, "held" | "tree">> {
  return proposal?.held !== undefined;
}

/** Whether a proposal is a promotion that may be approved. */
export function isAsked(proposal: Proposal | undefined, now: Date): proposal is Proposal {
  return proposal !== undefined && !isHeldEdit(proposal) && now.getTime() - Date.parse(proposal.at) < GOOD_FOR;
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
  if (!isAsked(proposal, seen.now)) {
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
