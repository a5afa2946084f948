// When a channel that follows another one takes its release. Pure: who counts, and looks at alarms and at the time, is not known here.
import type { ChannelRecord } from "../records/channel-record.ts";
import { isAsked } from "../records/channel-settings.ts";
import type { Following } from "./following.ts";
import { durationText } from "./judge-rollout.ts";
import type { SeenEvidence } from "./read-evidence.ts";
import { ringSignals } from "./signals.ts";
import { type RolloutVerdict, stuckSince, type Waiting, wait } from "./verdict.ts";

/** The release that a ring takes next, and since when the channel that it follows has served it to all. */
export interface DueRelease {
  readonly release: string;
  /** Milliseconds since 1970, as all times here. */
  readonly since: number;
}

/**
 * Looks at the records alone:
 *
 * | the channel that is followed                | the ring                          | then                        |
 * |---------------------------------------------|-----------------------------------|-----------------------------|
 * | is not there                                | any                               | waits, stuck                |
 * | is pinned, or serves a share to some        | any                               | waits: nothing is behind it |
 * | serves to all what the ring serves          | any                               | waits for the next          |
 * | serves another one, not for long enough yet | any                               | waits                       |
 * | serves another one for long enough          | is pinned, or has a share         | waits                       |
 * |                                             | has taken this release back       | waits for a person          |
 * |                                             | waits for a person's approval     | waits, stuck                |
 * |                                             | serves an older one               | the release is due          |
 *
 * @param leader the channel that is followed; undefined where there is none, or its record cannot be read
 */
export function dueRelease(
  { release: own, pinned, share, history, proposal, follows }: ChannelRecord & { readonly follows: Following },
  leader: ChannelRecord | undefined,
  now: number,
): DueRelease | Waiting {
  const { channel, after } = follows;
  if (leader === undefined)
    return { ...wait(`there is no channel ${channel}, or its record cannot be read`), stuck: 1 };
  const { release } = leader;
  // A pin is a person's word that something is wrong, or is to stay: nothing moves past it.
  if (leader.pinned) return wait(`${channel} is pinned to ${release}`);
  if (leader.share !== undefined)
    return wait(
      `${channel} serves ${leader.share.release} to ${leader.share.percent} % of its workloads, and not to all`,
    );
  if (release === own && share === undefined) return wait(`it serves what ${channel} serves`);
  const since = servedSince(leader);
  if (Number.isNaN(since)) return { ...wait(`since when ${channel} serves ${release} cannot be read`), stuck: 1 };
  const due = since + after * 1000;
  if (now < due) return wait(`${channel} serves ${release} for ${durationText(Math.ceil((due - now) / 1000))} more`);
  if (pinned) return wait(`it is pinned to ${own}`);
  if (share !== undefined)
    return wait(`it serves ${share.release} to ${share.percent} % of its workloads, and not to all`);
  if (hasTakenBack({ history }, release))
    return wait(`it has taken ${release} back: outrigger promote ${channel} serves it all the same`);
  const isWaiting = isAsked(proposal, new Date(now)) && proposal.from === channel && proposal.release === release;
  if (!isWaiting) return { release, since };
  return stuckSince(`another person has to approve ${release}`, Date.parse(proposal.at), now);
}

/** The evidence about a release that is due, and about the ring's own, since the release was served. */
export type RingEvidence = Pick<SeenEvidence, "states" | "counts"> & { readonly now: number };

/** Whether a release that is due is well where it is served: then it is promoted. What is not known lets nothing move. */
export function judgeDue(
  { channel, after, pods, alarms, share }: Following,
  { release, since }: DueRelease,
  { states, counts, now }: RingEvidence,
): RolloutVerdict {
  const kept = (why: string) => stuckRing(why, { after }, { since }, now);
  if (states === undefined) return kept("its alarms cannot be read");
  const missing = alarms.find((alarm) => states[alarm] === undefined);
  if (missing !== undefined) return kept(`there is no alarm ${missing}`);
  const up = alarms.find((alarm) => states[alarm] !== "OK");
  if (up !== undefined) return kept(states[up] === "ALARM" ? `alarm ${up} is up` : `alarm ${up} has no data`);
  if (counts === undefined) return kept(`what ${release} does cannot be counted`);
  const bad =
    counts.length === 0 ? undefined : ringSignals(counts[0], counts[1]).find(({ verdict }) => verdict !== "fine");
  if (bad !== undefined) return kept(`${release} is worse in ${channel}: ${bad.why}`);
  const injected = counts[0]?.injected ?? 0;
  if (counts.length > 0 && injected < pods)
    return wait(`${release} was injected into ${injected} of the ${pods} pods that it takes to judge it`);
  const served = `${channel} has served it for ${durationText(Math.floor((now - since) / 1000))}`;
  const why = counts.length === 0 ? served : `${served}, to ${injected} pods`;
  return { kind: "advance", percent: share ?? 100, why };
}

/** The time of the move by which a channel came to serve its release to all. */
function servedSince({ release, history }: ChannelRecord): number {
  const other = history.findIndex((move) => move.release !== release || move.share !== undefined);
  const first = history.at(other === -1 ? -1 : other - 1) ?? history[0];
  return Date.parse(first?.at ?? "");
}

const RETURNS: readonly string[] = ["abort", "rollback", "pin"];

/** Whether the last that a channel did with a release was to leave it for an older one. */
function hasTakenBack({ history }: Pick<ChannelRecord, "history">, release: string): boolean {
  const last = history.findIndex((move) => (move.share?.release ?? move.release) === release);
  return last > 0 && RETURNS.includes(history[last - 1]?.action ?? "");
}

/** The verdict of a ring whose release is due and held: seconds for which it has been. */
export function stuckRing(
  why: string,
  { after }: Pick<Following, "after">,
  { since }: Pick<DueRelease, "since">,
  now: number,
): Waiting {
  return stuckSince(why, since + after * 1000, now);
}
