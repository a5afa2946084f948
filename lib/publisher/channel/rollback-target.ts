// Which release a channel goes back to.
import { OutriggerError } from "@outrigger/base";
import { releaseBefore } from "../records/channel-record.ts";
import type { ChannelRecord } from "../request/publisher-request.ts";

/**
 * The release that a channel served before the one that it serves.
 *
 * @param steps how many releases it goes back
 * @throws OutriggerError `release-unknown` where its history does not go back so far
 */
export function rollbackTarget(channel: string, record: ChannelRecord, steps = 1): string {
  const before = releaseBefore(record, steps);
  if (before !== undefined) return before;
  const message = `Cannot roll back ${channel}: its history holds no release before ${record.release}; name one (outrigger releases)`;
  throw new OutriggerError("release-unknown", message, { path: channel });
}
