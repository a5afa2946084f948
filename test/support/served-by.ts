import type { ChannelRecord } from "@outrigger/publisher";

/**
 * The releases that a channel served after a person's move, to its own workloads and to a share. What was so already makes no entry of
 * its own: then the last move, a colleague's, has made it so.
 */
export function servedBy(channel: ChannelRecord | undefined, why: string): readonly (string | undefined)[] {
  const { history = [] } = channel ?? {};
  const made = history.find((one) => one.why === why) ?? history[0];
  return [made?.release, made?.share?.release];
}
