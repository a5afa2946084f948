// What the answer to a move says.
import type { Share } from "@outrigger/serving";
import type { ChannelRecord } from "../request/publisher-request.ts";

/** `stable serves 1f2e… now (77aa… before)`. */
export function moveMessage(channel: string, before: ChannelRecord | undefined, release: string, dryRun: boolean) {
  if (before?.release === release) return `${channel} serves ${release}, as before`;
  const was = before === undefined ? "a new channel" : `${before.release} before`;
  return dryRun ? `${channel} would serve ${release} (${was})` : `${channel} serves ${release} now (${was})`;
}

/** ` (promote by ann, 2026-01-01T00:00:00Z: no complaints)`: who has moved a channel last; nothing for a new one. */
export function lastMove({ history: [last] }: Pick<ChannelRecord, "history">): string {
  return last === undefined
    ? ""
    : ` (${last.action} by ${last.by}, ${last.at}${last.why === "" ? "" : `: ${last.why}`})`;
}

/** `stable serves 1f2e… to all workloads; 77aa… is taken back from 5 %` */
export function endMessage(channel: string, { release, share }: ChannelRecord, dryRun: boolean): string {
  const would = dryRun ? "would serve" : "serves";
  const back = share === undefined ? "" : `; ${share.release} is taken back from ${share.percent} %`;
  return `${channel} ${would} ${release} to all workloads${back}`;
}

/** `stable serves 77aa… to 5 % of the workloads, and 1f2e… to the others` */
export function shareMessage(channel: string, release: string, share: Share, dryRun: boolean): string {
  const would = dryRun ? "would serve" : "serves";
  return share.percent === 100
    ? `${channel} ${would} ${share.release} to all workloads, and can still go back to ${release} by itself`
    : `${channel} ${would} ${share.release} to ${share.percent} % of the workloads, and ${release} to the others`;
}

/** Whether edits move the channel from now on, where that is worth a word. */
export function pinMessage(before: ChannelRecord | undefined, pinned: boolean): string {
  if (pinned) return ", pinned";
  return before?.pinned === true ? ", not pinned any more" : "";
}

/** The way on for edits that a move has passed over: `tree` is what they have led to. */
export function passedOverMessage(tree: string | undefined): string {
  if (tree === undefined) return "";
  return '; the source tree is another one, and stays unpublished until it is edited again or published ("outrigger publish")';
}
