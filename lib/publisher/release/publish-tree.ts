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
import type { Effect } from "../effect/effects.ts";
import { judgeEdit, markHeld } from "../effect/judge-edit.ts";
import { heldText, withEffects } from "../effect/say-effects.ts";
import type { ChannelRecord } from "../records/channel-record.ts";
import {
  assertApproved,
  type ChannelSettings,
  isHeldEdit,
  type Proposal,
  settingsOf,
} from "../records/channel-settings.ts";
import type { LoggedChange } from "../records/log-entry.ts";
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
  const { layout } = dependencies;
  const { channel, isFirst } = destinationOf(editsChannel(state), made.named, layout, request.channel);
  const record = entryOf(state.channels, channel);
  const goal = { channel, record };
  const kept = keptAsIs(request, made, goal, state, dependencies);
  if (kept !== undefined) return kept;
  const before = await findServed(channel, record, state.snapshot, dependencies);
  const { origin, edits } = await originOf(request, made, before.origin, dependencies);
  const { source, tree, digest, release } = made;
  const fresh: NewRelease = { digest, release, origin, tree: source.tree };
  const edit = { before, after: fresh, digest, layers: [dependencies.shipped, source.tree] };
  const judged = judgeEdit(edit, record, { ...dependencies, isUnserved: isNobodys(goal, state) });
  const waiting = heldBack(request, fresh, goal, judged.held, dependencies);
  if (waiting !== undefined) return waiting;
  // A share continues next to an edit; a release that is published to all needs none.
  const isWhole = record?.release !== digest && record?.share?.release === digest;
  const share = isWhole ? undefined : record?.share;
  const effects = judged.effects.length === 0 ? undefined : judged.effects.map(({ name }) => name);
  const { by, why, at, shipped } = origin;
  const editsSince = isFirst ? at : undefined;
  const entries = Object.keys(source.tree).length;
  const published = { at, by, why, edits, tree, entries, ...defined({ effects, editsSince }) };
  const wanted = { action: "publish", release: digest, share, pinned: false, published } as const;
  const move = await decideMove(channel, wanted, request, state, dependencies);
  const isRemade = before.origin?.tree !== tree || before.origin.shipped !== shipped;
  // What is served is not read from the store: whether that is whole is asked where nothing else writes it again.
  const isNew = move.change !== undefined || isRemade || !(await isReleaseKept(dependencies, digest));
  const unserved = unservedWarning(channel, state.clusters);
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

/** The channel that a publication goes to, and what it is now. */
interface Goal {
  readonly channel: string;
  readonly record: ChannelRecord | undefined;
}

/** Whether no pod has got what the channel serves. */
function isNobodys({ record }: Goal, { clusters, unreadable, snapshot }: State): boolean {
  return (
    record !== undefined && unreadable.clusters.length === 0 && isUnserved(record, [clusters, snapshot?.clusters ?? {}])
  );
}

/**
 * The answer to an edit that nobody asked to publish, and that leaves the channel as it is; undefined where it may be published.
 *
 * @throws OutriggerError for what may not be published, or not from what the channel serves by now
 */
function keptAsIs(
  request: PublishRequest,
  { source, tree, digest, release: { warnings } }: Made,
  { channel, record }: Goal,
  { snapshot }: State,
  { layout }: PublisherDependencies,
): Decision | undefined {
  if (request.release !== undefined && request.release !== digest) throw treeChanged(layout.source);
  assertServing(request.serving, digest, channel, record);
  if (request.automatic === true) {
    const lost = entryOf(snapshot?.channels ?? {}, channel);
    if (record === undefined && lost !== undefined && Object.keys(source.tree).length === 0) {
      const why = `${channel} stays at ${lost}: its record and all of ${layout.source} are gone; put them back with "outrigger repair DIR", or publish`;
      return stays(channel, lost, why, warnings);
    }
    const waits = whyEditWaits(channel, record, tree) ?? whyApprovalKeeps(channel, record, digest);
    if (record !== undefined && waits !== undefined) return stays(channel, record.release, waits, warnings);
  } else if (record !== undefined && record.release !== digest) assertApproved(channel, record, digest);
  if (request.unpin !== true) assertNotPinned(channel, record);
  assertNotRolling(channel, record, `publish to ${channel}`, "publish to another channel");
  return undefined;
}

/**
 * The answer to an edit that waits for a person, because of what it does to pods; undefined where it need not.
 *
 * @throws OutriggerError `edit-held` for one that a person publishes without accepting that
 */
function heldBack(
  { accept = [], automatic }: PublishRequest,
  fresh: NewRelease,
  { channel, record }: Goal,
  effects: readonly Effect[],
  { layout }: PublisherDependencies,
): Decision | undefined {
  const held = effects.filter(({ name }) => !accept.includes(name));
  if (held.length === 0) return undefined;
  const { digest: release, origin } = fresh;
  if (automatic === true && record !== undefined) {
    const { tree, by, why, at } = origin;
    return staysHeld(
      channel,
      record,
      { from: "source", release, serving: record.release, held, tree, by, why, at },
      fresh,
    );
  }
  const seen = { release, serving: record?.release ?? null };
  const message = `Cannot publish to ${channel}: it would do what a person has to accept: ${heldText(channel, held, seen)}, or revert the edit`;
  throw new OutriggerError("edit-held", message, { path: layout.source });
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
