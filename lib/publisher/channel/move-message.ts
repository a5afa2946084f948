// What the answer to a move says.
import type { ChannelRecord } from "../request/publisher-request.ts";

/** `stable serves 1f2e… now (77aa… before)`. */
export function moveMessage(channel: string, before: ChannelRecord | undefined, release: string, dryRun: boolean) {
  if (before?.release === release) return `${channel} serves ${release}, as before`;
  const was = before === undefined ? "a new channel" : `${before.release} before`;
  return dryRun ? `${channel} would serve ${release} (${was})` : `${channel} serves ${release} now (${was})`;
}

/** Whether edits move the channel from now on, where that is worth a word. */
export function pinMessage(before: ChannelRecord | undefined, pinned: boolean): string {
  if (pinned) return ", pinned";
  return before?.pinned === true ? ", not pinned any more" : "";
}
