// Since when a channel serves its release.
import type { ChannelRecord } from "@outrigger/publisher";

type Move = Pick<ChannelRecord, "release" | "share">;

/**
 * Returns the time, in ISO 8601, of the oldest of the newest moves that all are of a release; empty where none is.
 *
 * @param isOfIt whether a move is of that release; left out, of the one that is served
 */
export function servedSince(
  { release, history }: Pick<ChannelRecord, "release" | "history">,
  isOfIt = (move: Move): boolean => move.release === release,
): string {
  const other = history.findIndex((move) => !isOfIt(move));
  const own = other === -1 ? history : history.slice(0, other);
  return own.at(-1)?.at ?? "";
}
