// `publish`: from the parameters below `source/` to a release that a channel serves, or to the reason why not.
import { defined, entryOf, OutriggerError } from "@outrigger/base";
import { decideMove } from "../channel/decide-move.ts";
import { destinationOf, editsChannel, isUnserved, unservedWarning } from "../channel/edits-channel.ts";
import {
  assertNotPinned,
  assertNotRolling,
  assertServing,
  whyApprovalKeeps,
  whyEditWaits,
} from "../channel/move-checks.ts";
import { partedNets } from "../channel/parted-nets.ts";
import type { Decide, Decision, NewRelease } from "../commit/decision.ts";
import type { PublisherDependencies } from "../dependencies.ts";
import { judgeEdit, markHeld } from "../effect/judge-edit.ts";
import { heldText, withEffects } from "../effect/say-effects.ts";
import type { LoggedChange } from "../records/change-log.ts";
import type { ChannelRecord } from "../records/channel-record.ts";
import {
  assertApproved,
  type ChannelSettings,
  isHeldEdit,
  type Proposal,
  settingsOf,
} from "../records/channel-settings.ts";
import type { State } from "../records/read-state.ts";
import { type Made, makeRelease, type PublishRequest, treeChanged } from "./make-release.ts";
import { originOf } from "./origin-of.ts";
import { findServed, isReleaseKept } from "./release-object.ts";

/**
 * Gives the function that reads and compiles the source tree, and decides what publishing it comes to. Every error in the
 * tree is thrown before anything is written.
 *
 * The tree is read after the state that it is published on, and again where another publisher has moved a channel since:
 * otherwise the slower of two publishers would serve the older tree after the newer one.
 *
 * @throws OutriggerError with the parameter's name, line and column of the error
 */
export function publishTree(): Decide<PublishRequest> {
  let last: { readonly made: Made; readonly after: number } | undefined;
  return async (request, state, dependencies) => {
    const after = last?.after ?? 0;
    const isStale = mayHaveMoved(state, after);
    const made = last === undefined || isStale ? await makeRelease(request, dependencies) : last.made;
    last = { made, after: state.lastChange };
    return decide(request, made, state, dependencies);
  };
}

/** Whether a channel was moved after a change, as far as the entries that were read tell. */
function mayHaveMoved({ entries, lastChange }: State, after: number): boolean {
  const later = entries.filter(({ number }) => number > after);
  return later.length < lastChange - after || later.some(({ change }) => change.kind === "channel");
}

async function decide(
  request: PublishRequest,
  made: Made,
  state: State,
  dependencies: PublisherDependencies,
): Promise<Decision> {
  const { source, tree, release, named, digest } = made;
  const { layout } = dependencies;
  const place = layout.sourceParameter("config");
  const { channel, isFirst } = destinationOf(editsChannel(state), named, { wanted: request.channel, place });
  const record = entryOf(state.channels, channel);
  const unserved = unservedWarning(channel, state.clusters);
  const served = [state.clusters, state.snapshot?.clusters ?? {}];
  const isNobodys = record !== undefined && state.unreadable.clusters.length === 0 && isUnserved(record, served);
  if (request.release !== undefined && request.release !== digest) throw treeChanged(layout.source);
  assertServing(request.serving, digest, channel, record);
  const isAutomatic = request.automatic === true;
  const lost = entryOf(state.snapshot?.channels ?? {}, channel);
  if (isAutomatic && record === undefined && lost !== undefined && Object.keys(source.tree).length === 0) {
    const why = `${channel} stays at ${lost}: its record and all of ${layout.source} are gone; put them back with "outrigger repair DIR", or publish`;
    return stays(channel, lost, why, release.warnings);
  }
  const waits = whyEditWaits(channel, record, tree) ?? whyApprovalKeeps(channel, record, digest);
  if (isAutomatic && record !== undefined && waits !== undefined)
    return stays(channel, record.release, waits, release.warnings);
  if (!isAutomatic && record !== undefined && record.release !== digest) assertApproved(channel, record, digest);
  if (request.unpin !== true) assertNotPinned(channel, record);
  assertNotRolling(channel, record, `publish to ${channel}`, "publish to another channel");
  const before = await findServed(channel, record, state.snapshot, dependencies);
  const { origin, edits } = await originOf(request, made, before.origin, dependencies);
  const { by, why, at, shipped } = origin;
  const fresh = { digest, release, origin, tree: source.tree };
  const layers = [dependencies.shipped, source.tree];
  const edit = { before, after: fresh, digest, layers };
  const judged = judgeEdit(edit, record, { ...dependencies, isUnserved: isNobodys });
  const held = judged.held.filter(({ name }) => request.accept?.includes(name) !== true);
  if (held.length > 0) {
    if (!isAutomatic || record === undefined) {
      const seen = { serving: record?.release ?? null };
      const message = `Cannot publish to ${channel}: it would do what a person has to accept: ${heldText(channel, held, { release: digest, ...seen })}, or revert the edit`;
      throw new OutriggerError("edit-held", message, { path: layout.source });
    }
    const proposal: Proposal = { from: "source", release: digest, serving: record.release, held, tree, by, why, at };
    return staysHeld(channel, record, proposal, fresh);
  }
  // A share continues next to an edit; a release that is published to all needs none.
  const isWhole = record?.release !== digest && record?.share?.release === digest;
  const share = isWhole ? undefined : record?.share;
  const effects = judged.effects.length === 0 ? undefined : judged.effects.map(({ name }) => name);
  const editsSince = isFirst ? at : undefined;
  const entries = Object.keys(source.tree).length;
  const published = { at, by, why, edits, tree, entries, ...defined({ effects, editsSince }) };
  const wanted = { action: "publish", release: digest, share, pinned: false, published } as const;
  const move = await decideMove(channel, wanted, request, state, dependencies);
  const isRemade = before.origin?.tree !== tree || before.origin.shipped !== shipped;
  // What is served is not read from the store: whether that is whole is asked where nothing else writes it again.
  const isNew = move.change !== undefined || isRemade || !(await isReleaseKept(dependencies, digest));
  const decision = {
    ...move,
    change: move.change ?? (record && unmoved(channel, record, isFirst, at)),
    newRelease: isNew ? fresh : undefined,
    serving: record?.release ?? null,
    warnings: [...(unserved === undefined ? [] : [unserved]), ...partedNets(channel, release, state)],
  };
  const warnings = [...judged.warnings, ...made.warnings, ...release.warnings];
  return withEffects(decision, { effects: markHeld(judged), warnings });
}

/** Nothing is served that was not; what takes edits, and what a held edit came to, may still be new. */
function unmoved(name: string, record: ChannelRecord, isFirst: boolean, at: string): LoggedChange | undefined {
  const isReverted = isHeldEdit(record.proposal);
  if (!isFirst && !isReverted) return undefined;
  const { proposal, ...kept } = settingsOf(record);
  const waiting = !isReverted && defined({ proposal });
  const settings: ChannelSettings = { ...kept, ...waiting, ...(isFirst && { editsSince: at }) };
  return { kind: "channel", name, settings };
}

/** The edit waits in the record. It is written once, however often it is looked at. */
function staysHeld(channel: string, record: ChannelRecord, proposal: Proposal, release: NewRelease): Decision {
  const { held = [] } = proposal;
  const message = `${channel} stays at ${record.release}: the edit waits for a person, because of ${heldText(channel, held, proposal)}, or revert the edit ("outrigger repair" puts back what was deleted)`;
  const { proposal: waiting } = record;
  const isNew = waiting === undefined || waiting.tree !== proposal.tree || waiting.release !== proposal.release;
  const answer = { ...stays(channel, record.release, message, release.release.warnings), held };
  if (!isNew) return answer;
  const settings = { ...settingsOf(record), proposal };
  return { ...answer, change: { kind: "channel", name: channel, settings }, newRelease: release };
}

function stays(channel: string, release: string, message: string, warnings: readonly string[]): Decision {
  return { message, channel, release, warnings: [message, ...warnings] };
}
