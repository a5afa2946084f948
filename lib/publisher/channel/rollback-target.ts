// Which release a channel goes back to.
import { OutriggerError } from "@outrigger/base";
import { releaseBefore } from "../records/channel-record.ts";
import type { ChannelRecord } from "../request/publisher-request.ts";

/**
 * The release that a rollback of a channel serves to all workloads.
 *
 * @param steps how many releases it goes back. Left out: one, and during a share none: the share is what came last, and its release
 * is the one that goes, so that the other workloads keep theirs
 * @throws OutriggerError `release-unknown` where its history does not go back so far
 */
export function rollbackTarget(channel: string, record: ChannelRecord, steps?: number): string {
  if (steps === undefined && record.share !== undefined) return record.release;
  const before = releaseBefore(record, steps ?? 1);
  if (before !== undefined) return before;
  const message = `Cannot roll back ${channel}: its history holds no release before ${record.release}; name one (outrigger releases)`;
  throw new OutriggerError("release-unknown", message, { path: channel });
}
