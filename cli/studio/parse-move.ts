// Reads what the page asks to be done with a channel.

import { channelNamePattern, defined, isObject, OutriggerError } from "@outrigger/base";
import { releasePattern } from "@outrigger/publisher";
import { type AcceptedEffects, type ActionRequest, MAX_MESSAGE, parseEffects } from "../releases/action-request.ts";

export interface RequestedMove {
  readonly request: ActionRequest;
  readonly message: string;
}

/**
 * A move: `{action, message}` with `channel` for rollback, pin, unpin and step-rollout, `from` and `to` for promote, `release`
 * where one is named, `unpin: true` where a pinned channel may be moved, `share` and `bake` where some workloads come first.
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
      return { request: { action, ...defined({ unpin, accept: acceptedOf(value) }) }, message };
    case "promote": {
      const [from, to] = [nameAt(value, "from", channelNamePattern), nameAt(value, "to", channelNamePattern)];
      return { request: { action, from, to, ...defined({ unpin }), ...shareOf(value) }, message };
    }
    case "step-rollout": {
      const { direction } = value;
      if (direction !== "next" && direction !== "back") throw invalid("its direction is next or back");
      return { request: { action, channel: channel(), direction }, message };
    }
    case "rollback":
    case "pin":
      return { request: { action, channel: channel(), ...defined({ release }) }, message };
    case "unpin":
      return { request: { action, channel: channel() }, message };
    default:
      throw invalid("its action is publish, promote, step-rollout, rollback, pin or unpin");
  }
}

function acceptedOf({ accept }: Readonly<Record<string, unknown>>): AcceptedEffects | undefined {
  if (accept === undefined) return undefined;
  if (Array.isArray(accept) && accept.every((name) => typeof name === "string")) return parseEffects(accept.join(","));
  throw invalid("accept is a list of classes of change");
}

/** A share, which the publisher checks; with `bake`, all of the workloads follow after that time. */
function shareOf({ share, bake, approve }: Readonly<Record<string, unknown>>): {
  readonly share?: number;
  readonly rollout?: { readonly next: readonly number[]; readonly bake: number; readonly alarms: readonly string[] };
  readonly approve?: true;
} {
  if (approve === true) return { approve };
  if (share === undefined) return {};
  if (!isCount(share) || (bake !== undefined && !isCount(bake))) throw invalid("share and bake are whole numbers");
  return { share, ...(bake === undefined ? {} : { rollout: { next: [100], bake, alarms: [] } }) };
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}

function nameAt(value: Readonly<Record<string, unknown>>, field: string, pattern: RegExp): string {
  const name = value[field];
  if (typeof name === "string" && pattern.test(name)) return name;
  throw invalid(`its ${field} is not a name`);
}

function invalid(reason: string): OutriggerError {
  return new OutriggerError("usage", `Cannot read the request: ${reason}`);
}
