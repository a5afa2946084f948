// What is said of a move of a channel: what it serves then, or would serve.
import type { ChannelMove, ChannelRecord } from "../records/channel-record.ts";
import { durationText } from "../rollout/judge-rollout.ts";
import type { RolloutPlan } from "../rollout/rollout.ts";

/** Whether a move is made, would be made, or changes nothing. */
type Tense = "now" | "would" | "already";

interface Moved extends Pick<ChannelMove, "action" | "release"> {
  readonly share: ChannelRecord["share"];
  readonly rollout: RolloutPlan | undefined;
  readonly pinned: boolean;
  readonly before: ChannelRecord | undefined;
  readonly tense: Tense;
  /** Whether the source tree is another one, and is passed over. */
  readonly isPassing: boolean;
}

/** `stable serves 1f2e… now (77aa… before), not pinned any more` */
export function moveText(channel: string, { before, tense, isPassing, ...wanted }: Moved): string {
  const { pinned, rollout } = wanted;
  const unpinned = before?.pinned === true ? ", not pinned any more" : "";
  const said = serveText(channel, before, wanted, tense);
  return `${said}${pinned ? ", pinned" : unpinned}${rolloutText(rollout)}${isPassing ? PASSED_OVER : ""}`;
}

/** The way on for edits that a move has passed over: the tree is what they have led to. */
const PASSED_OVER =
  '; the source tree is another one, and stays unpublished until it is edited again or published ("outrigger publish")';

/**
 * `stable serves 1f2e… now (77aa… before)`
 *
 * @param tense `already` where it served that before
 */
export function serveText(
  channel: string,
  before: Pick<ChannelRecord, "release" | "share"> | undefined,
  {
    action,
    release,
    share,
  }: Pick<ChannelMove, "action" | "release"> & { readonly share?: ChannelRecord["share"] | undefined },
  tense: Tense,
): string {
  const serves = `${channel} ${tense === "would" ? "would serve" : "serves"}`;
  const asBefore = tense === "already" ? ", as before" : "";
  if (share?.percent === 100)
    return `${serves} ${share.release} to all workloads, and can still go back to ${release} by itself${asBefore}`;
  if (share !== undefined)
    return `${serves} ${share.release} to ${share.percent} % of the workloads, and ${release} to the others${asBefore}`;
  if (tense === "already") return `${serves} ${release}${asBefore}`;
  if (before?.release === release && before.share !== undefined) {
    const further = action === "rollback" ? ` (to go back further, run "outrigger rollback ${channel}" again)` : "";
    return `${serves} ${release} to all workloads; ${before.share.release} is taken back from ${before.share.percent} %${further}`;
  }
  const was = before === undefined ? "a new channel" : `${before.release} before`;
  return `${serves} ${release}${tense === "would" ? "" : " now"} (${was})`;
}

function rolloutText(rollout: RolloutPlan | undefined): string {
  if (rollout === undefined) return "";
  const { next, bake, alarms, restart } = rollout;
  const shares = next.map((percent) => `${percent} %`).join(", ");
  const when = restart === true ? "when the pods before have been good for" : "every";
  const steps = bake === undefined || next.length === 0 ? "" : `; ${shares} ${when} ${durationText(bake)}`;
  return alarms.length === 0 ? steps : `${steps}; taken back if an alarm is up: ${alarms.join(", ")}`;
}
