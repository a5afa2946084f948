// Reads what the page sends: edits, which others may have overtaken, and what it wants of a channel.

import { defined, isObject, type JsonObject, OutriggerError, objectOf } from "@outrigger/base";
import { checkSourcePath, type SourceTree } from "@outrigger/injector";
import { parsePublisherRequest } from "@outrigger/publisher";
import type { CommandAction, Edit, KeptDrafts } from "@outrigger/studio";
import { type ActionRequest, MAX_MESSAGE } from "../releases/action-request.ts";
import { textAt } from "../tree/three-way.ts";

type Promotion = Extract<ActionRequest, { readonly action: "promote" }>;

/** A publication may save edits first, and may give a share of the workloads what comes of them. */
export type AskedMove =
  | Exclude<ActionRequest, { readonly action: "publish" }>
  | {
      readonly action: "publish";
      readonly edits?: readonly Edit[];
      readonly unpin?: true;
      readonly first?: Pick<Promotion, "share" | "rollout">;
    };

/** The fields that the page sends for each move, in the publisher's words. */
const SAID: Readonly<Record<string, readonly string[]>> = {
  promote: ["from", "to", "unpin"],
  "step-rollout": ["channel", "direction"],
  "set-channel": ["channel"],
  rollback: ["channel", "release"],
  pin: ["channel"],
  unpin: ["channel"],
};

/**
 * A move: `edits`, `unpin`, `share` and `bake` for publish, what is said of the others, and `share` and `bake` or `approve` for promote.
 * It names no release but the one that is served again: which those are is answered.
 *
 * @throws OutriggerError `usage`
 */
export function parseMove(value: unknown): AskedMove {
  const move = isObject(value) ? value : {};
  const { action, unpin } = move;
  if (action === "publish") {
    const edits = move["edits"] === undefined ? undefined : parseEdits(move);
    const first = move["share"] === undefined ? undefined : parseShare(move);
    return { action, ...defined({ unpin: unpin === true ? unpin : undefined, edits, first }) };
  }
  if (typeof action !== "string" || !Object.hasOwn(SAID, action))
    throw invalid(`its action is publish, ${Object.keys(SAID).join(", ")}`);
  const said = Object.fromEntries((SAID[action] ?? []).map((key) => [key, move[key]]));
  const besides = action === "promote" ? shareOf(move) : action === "set-channel" ? { edits: true } : {};
  const { cause: _, ...request } = parsePublisherRequest({ action, ...said, ...besides, cause: NOBODY });
  return request as AskedMove;
}

/** A share as a promotion has it. */
function parseShare({ share, bake = null }: JsonObject): Pick<Promotion, "share" | "rollout"> {
  const between = { from: "edits", to: "workloads", cause: NOBODY };
  const asked = { action: "promote", ...between, ...shareOf({ share: share ?? null, ...(bake !== null && { bake }) }) };
  const request = parsePublisherRequest(asked) as Promotion;
  return defined({ share: request.share, rollout: request.rollout });
}

/** The cause of a move that is being parsed: who asks is added when it is sent. */
const NOBODY = { by: "-", why: "" };

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

/**
 * Unsaved edits with their versions, and the versions that are gone.
 *
 * @throws OutriggerError `usage`
 */
export function parseDrafts(value: unknown): KeptDrafts {
  const { edits, gone, text, at } = isObject(value) ? value : {};
  const versions = Array.isArray(edits) ? edits.map((edit: unknown) => objectOf(edit)["version"]) : [];
  if (typeof text !== "string" || typeof at !== "number" || !isTexts(gone) || !isTexts(versions))
    throw invalid("drafts have edits with versions, gone, text and at");
  const kept = parseEdits(value).map((edit, index) => ({ ...edit, version: versions[index] as string }));
  return { edits: kept, gone, text, at };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

/**
 * The entries that are no longer what their edits were made on, with their texts of now.
 *
 * @throws OutriggerError for a path that names no entry
 */
export function changedSince(edits: readonly Edit[], tree: SourceTree): Readonly<Record<string, string | null>> {
  for (const { path } of edits) checkSourcePath(path);
  const changed = edits.flatMap(({ path, base, text }) => {
    const now = textAt(tree, path) ?? null;
    return now === base || now === text ? [] : [[path, now] as const];
  });
  return Object.fromEntries(changed);
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

const COMMAND_ACTIONS: readonly CommandAction[] = ["begin", "yes", "no", "stop"];

/**
 * What a page does with a command: `{action: "begin"}`.
 *
 * @throws OutriggerError `usage`
 */
export function parseCommandAction(value: unknown): CommandAction {
  const { action } = isObject(value) ? value : {};
  const found = COMMAND_ACTIONS.find((one) => one === action);
  if (found === undefined) throw invalid(`its action is ${COMMAND_ACTIONS.join(", ")}`);
  return found;
}

/** Percent that a rollout continues with. */
const LADDER = [25, 50, 100];

/** A share, which the publisher checks, and those that follow: after `bake` seconds each, or when a person says so. */
function shareOf({ share, bake, approve }: JsonObject): JsonObject {
  if (approve === true) return { approve };
  if (share === undefined) return {};
  return { share, rollout: { next: LADDER.filter((next) => next > Number(share)), ...defined({ bake }), alarms: [] } };
}

export function invalid(reason: string, cause?: unknown): OutriggerError {
  return new OutriggerError("usage", `Cannot read the request: ${reason}`, { cause });
}
