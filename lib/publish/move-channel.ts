// Owns what moves a channel without compiling anything: promote, rollback, pin, unpin, and taking it away.
import { OutriggerError } from "../errors.ts";
import { loadRelease } from "../release/load-release.ts";
import { type Applied, applyChange, type Change } from "./apply-change.ts";
import { releaseBefore, withMove } from "./channel-record.ts";
import type { PublisherDependencies } from "./dependencies.ts";
import type { ChannelRecord, PublisherRequest, PublisherResult } from "./publisher-request.ts";
import { entryOf, readState, type State } from "./read-state.ts";
import { readRelease } from "./release-parameters.ts";

type Move = PublisherRequest & { readonly action: "promote" | "rollback" | "pin" | "unpin" };

/**
 * Moves a channel to a release that is there already.
 *
 * | action   | release                                   | pinned after it |
 * |----------|-------------------------------------------|-----------------|
 * | promote  | that of the channel it is promoted from   | no              |
 * | rollback | the one before, or the one that is named  | yes             |
 * | pin      | the one that it has, or the one that is named | yes         |
 * | unpin    | the one that it has                       | no              |
 *
 * @throws OutriggerError `channel-unknown`, `release-unknown`, `release-unsupported` or `store-corrupt`
 */
export async function moveChannel(request: Move, dependencies: PublisherDependencies): Promise<PublisherResult> {
  const state = await readState(dependencies);
  const channel = request.action === "promote" ? request.to : request.channel;
  const record = entryOf(state.channels, channel);
  const release = releaseFor(request, state);
  await assertServable(release, dependencies);
  const pinned = request.action === "rollback" || request.action === "pin";
  const isNew = record === undefined || record.release !== release || record.pinned !== pinned;
  const at = dependencies.now().toISOString();
  const move = { action: request.action, release, at, ...request.cause };
  const next = withMove(record, move, pinned, dependencies.tier);
  const change: Change = isNew ? { kind: "channel", name: channel, record: next } : { kind: "none" };
  const applied = await applyChange(change, state, dependencies, request.dryRun === true);
  const message = moveMessage(channel, record, release, request.dryRun === true);
  return answer(applied, `${message}${pinMessage(record, pinned)}`, { channel, release });
}

/** Takes a channel away that no cluster is served from. That it is gone already is no error: a removal may be asked twice. */
export async function removeChannel(
  { channel, dryRun = false }: PublisherRequest & { readonly action: "remove-channel" },
  dependencies: PublisherDependencies,
): Promise<PublisherResult> {
  const state = await readState(dependencies);
  const users = Object.entries(state.clusters).filter(([, record]) =>
    Object.values(record.revisions).includes(channel),
  );
  if (users.length > 0 || state.unreadable.clusters.length > 0) {
    const names = [...users.map(([name]) => name), ...state.unreadable.clusters].slice(0, 5).join(", ");
    throw new OutriggerError(
      "channel-unknown",
      `Cannot remove channel ${channel}: clusters are served from it (${names}); give them another with "outrigger clusters set"`,
      { path: dependencies.layout.channel(channel) },
    );
  }
  const applied = await applyChange({ kind: "channel", name: channel, record: null }, state, dependencies, dryRun);
  if (!applied.changed) return answer(applied, `There is no channel ${channel}`, { channel });
  return answer(applied, `${channel} ${dryRun ? "would be" : "is"} removed`, { channel });
}

/** `stable serves 1f2e… now (77aa… before)`. */
export function moveMessage(channel: string, before: ChannelRecord | undefined, release: string, dryRun: boolean) {
  if (before?.release === release) return `${channel} serves ${release}, as before`;
  const was = before === undefined ? "a new channel" : `${before.release} before`;
  return dryRun ? `${channel} would serve ${release} (${was})` : `${channel} serves ${release} now (${was})`;
}

/** Whether edits move the channel from now on, where that is worth a word. */
export function pinMessage(before: ChannelRecord | undefined, pinned: boolean): string {
  if (pinned) return ", pinned";
  return before?.pinned === true ? ", not pinned any more" : "";
}

function releaseFor(request: Move, state: State): string {
  if (request.action === "promote") return recordOf(request.from, state).release;
  const named = "release" in request ? request.release : undefined;
  if (named !== undefined) return named;
  const record = recordOf(request.channel, state);
  if (request.action !== "rollback") return record.release;
  const before = releaseBefore(record);
  if (before !== undefined) return before;
  const message = `Cannot roll back ${request.channel}: its history holds no release before ${record.release}; name one with --to`;
  throw new OutriggerError("release-unknown", message, { path: request.channel });
}

function recordOf(channel: string, state: State): ChannelRecord {
  const record = entryOf(state.channels, channel);
  if (record === undefined) throw unknownChannel(channel, state);
  return record;
}

/** A channel that there is not, with those that there are. */
export function unknownChannel(channel: string, { channels, unreadable }: State): OutriggerError {
  const known = Object.keys(channels).join(", ") || "none yet: publish first";
  const broken = unreadable.channels.includes(channel) ? "its record cannot be read" : "there is none of that name";
  return new OutriggerError("channel-unknown", `Cannot use channel ${channel}: ${broken}; channels are ${known}`, {
    path: channel,
  });
}

/** A release is tried before it is served, because another version of Outrigger may have compiled it. */
async function assertServable(digest: string, dependencies: PublisherDependencies): Promise<void> {
  const { release } = await readRelease(dependencies.store, dependencies.layout, digest);
  (dependencies.load ?? loadRelease)(release);
}

/** What a change has come to. */
export function answer(
  { seq, changed, warnings, problems }: Applied,
  message: string,
  about: { readonly channel?: string; readonly release?: string } = {},
): PublisherResult {
  return { ok: true, message, ...about, seq, changed, warnings, ...(problems.length === 0 ? {} : { problems }) };
}
