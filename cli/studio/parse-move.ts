// Reads what the page wants of a channel.

import { channelNamePattern, defined, isObject, OutriggerError } from "@outrigger/base";
import { type AcceptedEffects, type ActionRequest, MAX_MESSAGE, parseEffects } from "../releases/action-request.ts";

/**
 * A move: `{action}` with `channel` for rollback, pin, unpin and step-rollout, `from` and `to` for promote, `unpin: true` where a
 * pinned channel may be moved, `share` and `bake` where some workloads come first. It names no release: which those are is answered.
 *
 * @throws OutriggerError `usage`
 */
export function parseMove(value: unknown): ActionRequest {
  if (!isObject(value)) throw invalid("it is not an object");
  const { action } = value;
  const unpin = value["unpin"] === true ? (true as const) : undefined;
  const channel = () => nameAt(value, "channel");
  switch (action) {
    case "publish":
      return { action, ...defined({ unpin, accept: acceptedOf(value) }) };
    case "promote":
      return { action, from: nameAt(value, "from"), to: nameAt(value, "to"), ...defined({ unpin }), ...shareOf(value) };
    case "step-rollout": {
      const { direction } = value;
      if (direction !== "next" && direction !== "back") throw invalid("its direction is next or back");
      return { action, channel: channel(), direction };
    }
    case "rollback":
    case "pin":
    case "unpin":
      return { action, channel: channel() };
    default:
      throw invalid("its action is publish, promote, step-rollout, rollback, pin or unpin");
  }
}

/**
 * The confirmation of a question: its id, and why.
 *
 * @throws OutriggerError `usage`
 */
export function parseConfirmation(value: unknown): { readonly id: string; readonly message: string } {
  const { id, message = "" } = isObject(value) ? value : {};
  if (typeof id !== "string") throw invalid("it names no question");
  if (typeof message === "string" && message.length <= MAX_MESSAGE) return { id, message };
  throw invalid(`a message has at most ${MAX_MESSAGE} characters`);
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

function nameAt(value: Readonly<Record<string, unknown>>, field: string): string {
  const name = value[field];
  if (typeof name === "string" && channelNamePattern.test(name)) return name;
  throw invalid(`its ${field} is not a name`);
}

function invalid(reason: string): OutriggerError {
  return new OutriggerError("usage", `Cannot read the request: ${reason}`);
}
