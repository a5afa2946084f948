// Reads what the page sends: edits, and what it wants of a channel.

import { channelNamePattern, defined, isObject, OutriggerError } from "@outrigger/base";
import type { Edit } from "@outrigger/studio";
import { type ActionRequest, MAX_MESSAGE } from "../releases/action-request.ts";

/** A publication may save edits first. */
export type AskedMove =
  | Exclude<ActionRequest, { readonly action: "publish" }>
  | { readonly action: "publish"; readonly edits?: readonly Edit[]; readonly unpin?: true };

/**
 * A move: `{action}` with `channel` for rollback, pin, unpin, step-rollout and set-channel, `edits` for publish, `from` and `to` for
 * promote, `unpin: true` where a pinned channel may be moved, `share` and `bake` where some workloads come first. It names no release:
 * which those are is answered.
 *
 * @throws OutriggerError `usage`
 */
export function parseMove(value: unknown): AskedMove {
  if (!isObject(value)) throw invalid("it is not an object");
  const { action } = value;
  const unpin = value["unpin"] === true ? (true as const) : undefined;
  const channel = () => nameAt(value, "channel");
  switch (action) {
    case "publish":
      return { action, ...defined({ unpin, edits: value["edits"] === undefined ? undefined : parseEdits(value) }) };
    case "promote":
      return { action, from: nameAt(value, "from"), to: nameAt(value, "to"), ...defined({ unpin }), ...shareOf(value) };
    case "step-rollout": {
      const { direction } = value;
      if (direction !== "next" && direction !== "back") throw invalid("its direction is next or back");
      return { action, channel: channel(), direction };
    }
    case "set-channel":
      return { action, channel: channel(), edits: true };
    case "rollback":
    case "pin":
    case "unpin":
      return { action, channel: channel() };
    default:
      throw invalid("its action is publish, promote, step-rollout, rollback, pin, unpin or set-channel");
  }
}

/** @throws OutriggerError `usage` */
export function parseEdits(value: unknown): readonly Edit[] {
  const { edits } = isObject(value) ? value : {};
  if (!Array.isArray(edits)) throw invalid("it has no list of edits");
  return edits.map((edit: unknown) => {
    const { path, base, text } = isObject(edit) ? edit : {};
    if (typeof path === "string" && isTextOrNull(base) && isTextOrNull(text)) return { path, base, text };
    throw invalid("an edit has path, base and text");
  });
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === "string";
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

/** Percent that a rollout continues with. */
const LADDER = [25, 50, 100];

/** A share, which the publisher checks, and those that follow: after `bake` seconds each, or when a person says so. */
function shareOf({ share, bake, approve }: Readonly<Record<string, unknown>>): {
  readonly share?: number;
  readonly rollout?: { readonly next: readonly number[]; readonly bake?: number; readonly alarms: readonly string[] };
  readonly approve?: true;
} {
  if (approve === true) return { approve };
  if (share === undefined) return {};
  if (!isCount(share) || (bake !== undefined && !isCount(bake))) throw invalid("share and bake are whole numbers");
  return { share, rollout: { next: LADDER.filter((next) => next > share), ...defined({ bake }), alarms: [] } };
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
