// `channels/<channel>`: its form, how a move is written down, and which release was served before.
import { fitsParameter, type Parameter, readRecord, recordText, type Tier } from "@outrigger/aws";
import { defined, isWholeIn, type JsonObject, type JsonValue, OutriggerError, objectOf } from "@outrigger/base";
import type { Share } from "@outrigger/serving";
import type { EffectName } from "../effect/effects.ts";
import type { DatedCause } from "../request/publisher-result.ts";
import { parseRollout, type Rollout } from "../rollout/rollout.ts";
import { type ChannelSettings, parseSettings, settingsOf } from "./channel-settings.ts";

export interface ChannelMove extends DatedCause {
  readonly release: string;
  /** `abort` takes a share back: the channel's own release is served to all workloads again. */
  readonly action: "publish" | "promote" | "abort" | "rollback" | "pin" | "unpin";
  /** Parameters that were edited since the release before, as `templates/sidecar@7`. */
  readonly edits?: readonly string[];
  /** treeDigest of the source tree, where one was published. */
  readonly tree?: string;
  /** The number of entries of that tree. */
  readonly entries?: number;
  /** The effects on pods, by class. */
  readonly effects?: readonly EffectName[];
  /** treeDigest of the source tree, where the channel takes edits and a person has moved it to another: the schedule leaves that tree. */
  readonly passedOver?: string;
  /** Edits go to the channel since; kept of the newest move only. */
  readonly editsSince?: string;
  /** The share of workloads that another release is served to since. */
  readonly share?: Share;
  /** The rollout that continues the share by itself. It is kept of the newest move only. */
  readonly rollout?: Rollout;
}

/** `channels/<channel>`. */
export interface ChannelRecord extends ChannelSettings {
  /** The change that wrote it, where one record is read for itself. */
  readonly change?: number;
  readonly release: string;
  readonly pinned: boolean;
  readonly share?: Share;
  readonly rollout?: Rollout;
  /** The newest first; as many as the parameter holds, at most 20. */
  readonly history: readonly ChannelMove[];
}

/** The moves that the record of a channel keeps at most. */
export const MAX_HISTORY = 20;

/** A stored record also holds the number of the change that wrote it: no number is longer. */
export const LONGEST_CHANGE = 999_999_999_999;

const ACTIONS: readonly unknown[] = ["publish", "promote", "abort", "rollback", "pin", "unpin"];

/** Releases go by the first 12 hexadecimal digits of their digest. */
export const releasePattern = /^[0-9a-f]{12}$/;

/**
 * The record that a parameter holds.
 *
 * @throws OutriggerError `store-corrupt` with the parameter's name and what is wrong with it
 */
export function readChannelRecord(parameter: Parameter): ChannelRecord {
  const value = readRecord(parameter);
  return { ...parseChannelRecord(value, parameter.name), ...defined({ change: changeOf(value) }) };
}

/** Throws `store-corrupt` with the parameter's name and what is wrong with it. */
export function parseChannelRecord(value: JsonValue, place: string): ChannelRecord {
  const { release, pinned, share, history } = objectOf(value);
  if (!isRelease(release)) throw invalid(place, "it names no release");
  if (typeof pinned !== "boolean") throw invalid(place, "pinned must be true or false");
  if (!Array.isArray(history) || !history.every(isMove)) throw invalid(place, "its history is none");
  if (share !== undefined && !isShare(share))
    throw invalid(place, "its share must have a release, and percent from 1 to 100");
  const rollout = share === undefined ? undefined : parseRollout((value as JsonObject)["rollout"]);
  return { release, pinned, ...defined({ share, rollout }), ...parseSettings(value), history };
}

/** The change that wrote a record; undefined where a person did. */
export function changeOf(value: JsonValue): number | undefined {
  const { change } = objectOf(value);
  return typeof change === "number" ? change : undefined;
}

export function withMove(record: ChannelRecord | undefined, move: ChannelMove, pinned: boolean, tier: Tier) {
  // A promotion that waits for approval was asked for as the channel was.
  const { rollout, editsSince, ...line } = move;
  const { edits, ...short } = line;
  const { proposal: _, ...settings } = settingsOf({ ...record, ...defined({ editsSince }) });
  const serves = { release: move.release, pinned, ...defined({ share: move.share, rollout }), ...settings };
  const history = [line, ...(record?.history ?? [])].slice(0, MAX_HISTORY);
  return fitting({ ...serves, history }, tier) ?? { ...serves, history: [short] };
}

/** The record with other settings: it serves what it served. */
export function withSettings(record: ChannelRecord, settings: ChannelSettings, tier: Tier): ChannelRecord {
  const { approval: _, proposal: __, holds: ___, editsSince: ____, follows: _____, ...serves } = record;
  const changed = { ...serves, ...settingsOf(settings) };
  return fitting(changed, tier) ?? { ...changed, history: changed.history.slice(0, 1) };
}

/** The record with as much of its history as a parameter holds; undefined where not even its last move fits. */
function fitting(record: ChannelRecord, tier: Tier): ChannelRecord | undefined {
  for (let length = record.history.length; length > 0; length--) {
    const shorter = { ...record, history: record.history.slice(0, length) };
    if (fitsParameter(recordText({ ...shorter, change: LONGEST_CHANGE }), tier)) return shorter;
  }
  return undefined;
}

/**
 * The release that a channel served before the one that it serves: what a rollback goes back to.
 *
 * A rollback takes back what came after its release, so that a second one goes further back and never forth again:
 *
 * | history, oldest first                     | before |
 * |-------------------------------------------|--------|
 * | publish A, publish B                      | A      |
 * | publish A, publish B, publish C, back to B | A      |
 * | publish A, publish B, back to A, publish C | A      |
 * | publish A                                 | none   |
 *
 * @param steps how many releases to go back
 */
export function releaseBefore({ history }: ChannelRecord, steps = 1): string | undefined {
  const served: string[] = [];
  for (const { action, release } of [...history].reverse()) {
    const goesBack = action === "rollback" || action === "pin";
    const at = goesBack ? served.lastIndexOf(release) : -1;
    if (at !== -1) served.length = at + 1;
    else if (served.at(-1) !== release) served.push(release);
  }
  return served.at(-1 - steps);
}

function isRelease(value: unknown): value is string {
  return typeof value === "string" && releasePattern.test(value);
}

export function isShare(value: JsonValue | undefined): value is JsonValue & Share {
  const { release, percent } = objectOf(value);
  return isRelease(release) && isWholeIn(percent, 1, 100);
}

/** The release that a move is about: a promotion of a share is about the one that the share is served, a pin is not. */
export function releaseOf({ action, release, share }: Pick<ChannelMove, "action" | "release" | "share">): string {
  return action === "promote" && share !== undefined ? share.release : release;
}

/** All releases that a channel names: those must be kept. */
export function releasesOf({ release, share, proposal, history }: ChannelRecord): readonly string[] {
  const shared = [share, ...history.map((move) => move.share)].flatMap((each) => each?.release ?? []);
  const waiting = proposal === undefined ? [] : [proposal.release];
  return [release, ...history.map((move) => move.release), ...shared, ...waiting];
}

export function isMove(value: JsonValue): value is JsonValue & ChannelMove {
  const { release, action, at, by, why, share } = objectOf(value);
  if (share !== undefined && !isShare(share)) return false;
  return isRelease(release) && ACTIONS.includes(action) && [at, by, why].every((text) => typeof text === "string");
}

function invalid(place: string, why: string): OutriggerError {
  const message = `Cannot read ${place}: ${why}; publish, promote or roll back the channel again`;
  return new OutriggerError("store-corrupt", message, { path: place });
}

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
