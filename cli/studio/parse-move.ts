// Reads what the page asks to be done with a channel.

import { channelNamePattern, defined, isObject, OutriggerError } from "@outrigger/base";
import { releasePattern } from "@outrigger/publisher";
import { type ActionRequest, MAX_MESSAGE } from "../releases/action-request.ts";

export interface RequestedMove {
  readonly request: ActionRequest;
  readonly message: string;
}

/**
 * A move: `{action, message}` with `channel` for publish, rollback, pin and unpin, `from` and `to` for promote, `release`
 * where one is named, and `unpin: true` where a pinned channel may be moved.
 *
 * @throws OutriggerError `usage`
 */
export function parseMove(value: unknown): RequestedMove {
  if (!isObject(value)) throw invalid("it is not an object");
  const { action, message = "" } = value;
  if (typeof message !== "string" || message.length > MAX_MESSAGE) {
    throw invalid(`a message has at most ${MAX_MESSAGE} characters`);
  }
  const unpin = value["unpin"] === true ? (true as const) : undefined;
  const release = value["release"] === undefined ? undefined : nameAt(value, "release", releasePattern);
  const channel = () => nameAt(value, "channel", channelNamePattern);
  switch (action) {
    case "publish":
      return { request: { action, ...defined({ unpin }) }, message };
    case "promote": {
      const [from, to] = [nameAt(value, "from", channelNamePattern), nameAt(value, "to", channelNamePattern)];
      return { request: { action, from, to, ...defined({ unpin }) }, message };
    }
    case "rollback":
    case "pin":
      return { request: { action, channel: channel(), ...defined({ release }) }, message };
    case "unpin":
      return { request: { action, channel: channel() }, message };
    default:
      throw invalid("its action is publish, promote, rollback, pin or unpin");
  }
}

function nameAt(value: Readonly<Record<string, unknown>>, field: string, pattern: RegExp): string {
  const name = value[field];
  if (typeof name === "string" && pattern.test(name)) return name;
  throw invalid(`its ${field} is not a name`);
}

function invalid(reason: string): OutriggerError {
  return new OutriggerError("usage", `Cannot read the request: ${reason}`);
}
