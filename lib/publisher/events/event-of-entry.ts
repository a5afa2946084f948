// A change in the log → its event.
import { defined } from "@outrigger/base";
import { releaseOf } from "../records/channel-record.ts";
import type { LogEntry } from "../records/log-entry.ts";
import type { ChangeEvent } from "./change-event.ts";

/** Characters of a message: an event holds 256 KB, and who reads it in a chat far less. */
const MAX_MESSAGE = 1000;

/** The event of a change; undefined for a lease, which changes nothing that anyone asks for. */
export function eventOfEntry({ number, at, change, message, asked }: LogEntry, deployment: string) {
  const cause = "move" in change ? change.move : asked;
  if (cause === undefined) return undefined;
  const { by, why } = cause;
  const event = {
    version: 1,
    deployment,
    change: number,
    at,
    by,
    why,
    message: message.slice(0, MAX_MESSAGE),
  } as const;
  return { ...event, ...contentOf(change, cause.action) } satisfies ChangeEvent;
}

function contentOf(change: LogEntry["change"], action: string): Pick<ChangeEvent, "action"> & Partial<ChangeEvent> {
  const { name } = change;
  if (change.kind === "cluster") return { action, cluster: name, ...defined({ revisions: change.record?.revisions }) };
  if ("move" in change) {
    const { move, pinned } = change;
    const { share, effects } = move;
    return { action, channel: name, release: releaseOf(move), ...defined({ share: share?.percent, effects }), pinned };
  }
  if (!("settings" in change)) return { action, channel: name };
  const { proposal } = change.settings;
  // What waits for a person is written by the request that would have moved the channel.
  if (proposal === undefined || action === "set-channel") return { action, channel: name };
  const { release, share, held } = proposal;
  return { action: held === undefined ? "propose" : "hold", channel: name, release, ...defined({ share }) };
}
