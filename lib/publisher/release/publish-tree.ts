// `publish`: from the parameters below `source/` to a release that a channel serves, or to the reason why not.
import { defined, OutriggerError } from "@outrigger/base";
import { guardRelease } from "@outrigger/guardrails";
import { compileRelease, publishChannel, type Release } from "@outrigger/injector";
import { releaseDigest } from "@outrigger/serving";
import { type Destination, destinationOf, editsChannel, unservedWarning } from "../channel/edits-channel.ts";
import { assertPublishable, assertServing, whyApprovalKeeps, whyEditWaits } from "../channel/move-checks.ts";
import { moveMessage, pinMessage } from "../channel/move-message.ts";
import type { Decision, NewRelease } from "../commit/carry-out.ts";
import { type PublisherDependencies, sleepOf } from "../dependencies.ts";
import type { Effect } from "../effect/effects.ts";
import { acceptCommand, describeEffects, type Judgement, judgeEdit } from "../effect/judge-edit.ts";
import type { LoggedChange } from "../records/change-log.ts";
import {
  assertApproved,
  type ChannelSettings,
  isHeldEdit,
  type Proposal,
  settingsOf,
} from "../records/channel-settings.ts";
import { entryOf } from "../records/read-records.ts";
import type { State } from "../records/read-state.ts";
import type { Cause, ChannelMove, ChannelRecord, PublisherRequest } from "../request/publisher-request.ts";
import { checkManifest, treeDigest } from "../source/push-manifest.ts";
import { readSettledSource, type SourceSnapshot } from "../source/source-parameters.ts";
import { editorsOf, editsOf, sourcesOf } from "./edits.ts";
import { type ReleaseOrigin, readRelease } from "./release-parameters.ts";

type PublishRequest = PublisherRequest & { readonly action: "publish" };

/**
 * Gives the function that reads and compiles the source tree, and decides what publishing it comes to. Every error in the
 * tree is thrown before anything is written.
 *
 * The tree is read after the state that it is published on, and again where another publisher has moved a channel since:
 * otherwise the slower of two publishers would serve the older tree after the newer one.
 *
 * @throws OutriggerError with the parameter's name, line and column of the error
 */
export function publishTree(
  request: PublishRequest,
  dependencies: PublisherDependencies,
): (state: State) => Promise<Decision> {
  let last: { readonly made: Made; readonly after: number } | undefined;
  return async (state) => {
    const after = last?.after ?? 0;
    const isStale = mayHaveMoved(state, after);
    const made = last === undefined || isStale ? await make(request, dependencies) : last.made;
    last = { made, after: state.lastChange };
    return decide(request, made, state, dependencies);
  };
}

/** Whether a channel was moved after a change, as far as the entries that were read tell. */
function mayHaveMoved({ entries, lastChange }: State, after: number): boolean {
  const later = entries.filter(({ number }) => number > after);
  return later.length < lastChange - after || later.some(({ change }) => change.kind === "channel");
}

async function make(request: PublishRequest, dependencies: PublisherDependencies): Promise<Made> {
  const { layout } = dependencies;
  const source = await readWanted(request, dependencies);
  const tree = treeDigest(source.tree);
  checkManifest(source.manifest, tree, layout.sourceParameter("manifest"));
  if (request.tree !== undefined && request.tree !== tree) throw treeChanged(layout.source);
  const { release, named } = compiled(source, dependencies);
  assertGuarded(release, source, dependencies);
  return { source, tree, release, named, digest: releaseDigest(release) };
}

interface Made {
  readonly source: SourceSnapshot;
  readonly tree: string;
  readonly release: Release;
  /** publishTo of the tree. */
  readonly named: string | undefined;
  readonly digest: string;
}

async function decide(
  request: PublishRequest,
  made: Made,
  state: State,
  dependencies: PublisherDependencies,
): Promise<Decision> {
  const { source, tree, release, named, digest } = made;
  const { layout, now } = dependencies;
  const destination = destinationOf(editsChannel(state), named, {
    wanted: request.channel,
    place: layout.sourceParameter("config"),
  });
  const { channel } = destination;
  const record = entryOf(state.channels, channel);
  if (request.release !== undefined && request.release !== digest) throw treeChanged(layout.source);
  assertServing(request.serving, digest, channel, record);
  const before = await releaseBefore(channel, record, state, dependencies);
  const isAutomatic = request.automatic === true;
  const waits = isAutomatic
    ? (whyEditWaits(channel, record, tree) ?? whyApprovalKeeps(channel, record, digest))
    : undefined;
  if (record !== undefined && waits !== undefined) return stays(channel, record.release, waits, release.warnings);
  if (!isAutomatic && record !== undefined && record.release !== digest) assertApproved(channel, record, digest);
  assertPublishable(channel, record, request.unpin);
  const at = now().toISOString();
  const edits = editsOf(source.versions, before.origin);
  const { by, why } = isAutomatic ? await causeOfEdits(request, source, edits, dependencies) : request.cause;
  const shipped = treeDigest(dependencies.shipped);
  const origin: ReleaseOrigin = { by, why, at, tree, shipped, sources: sourcesOf(source.versions) };
  const fresh = { digest, release, origin, tree: source.tree };
  const judged = judge(made, before, record, dependencies);
  const held = judged.held.filter(({ name }) => request.accept?.includes(name) !== true);
  if (held.length > 0) {
    if (!isAutomatic || record === undefined) throw refusedEffects(channel, held, layout.source);
    const proposal: Proposal = { from: "source", release: digest, serving: record.release, held, tree, by, why, at };
    return staysHeld(channel, record, proposal, fresh);
  }
  const isNew = record?.release !== digest || record.pinned;
  // A share goes on next to an edit; a release that is published to all needs none.
  const share = record?.share?.release === digest ? undefined : record?.share;
  const rollout = share === undefined ? undefined : record?.rollout;
  const effects = judged.effects.length === 0 ? undefined : judged.effects.map(({ name }) => name);
  const more = defined({ effects, share, rollout, editsSince: destination.isFirst ? at : undefined });
  const entries = Object.keys(source.tree).length;
  const move: ChannelMove = { action: "publish", release: digest, at, by, why, edits, tree, entries, ...more };
  const change = isNew
    ? ({ kind: "channel", name: channel, move, pinned: false } as const)
    : unmoved(channel, record, destination, at);
  const unserved = unservedWarning(channel, state.clusters);
  return {
    change,
    newRelease: isNew || before.origin?.tree !== tree || before.origin.shipped !== shipped ? fresh : undefined,
    message: `${moveMessage(channel, record, digest, request.dryRun === true)}${pinMessage(record, false)}${effectMessage(judged)}`,
    channel,
    release: digest,
    warnings: [...(unserved === undefined ? [] : [unserved]), ...judged.warnings, ...release.warnings],
  };
}

/** Nothing is served that was not; what takes edits, and what a held edit came to, may still be new. */
function unmoved(name: string, record: ChannelRecord, { isFirst }: Destination, at: string): LoggedChange | undefined {
  const isReverted = isHeldEdit(record.proposal);
  if (!isFirst && !isReverted) return undefined;
  const { proposal, ...kept } = settingsOf(record);
  const settings: ChannelSettings = {
    ...kept,
    ...(!isReverted && defined({ proposal })),
    ...(isFirst && { editsSince: at }),
  };
  return { kind: "channel", name, settings };
}

interface Before {
  readonly release: Release | undefined;
  readonly origin: ReleaseOrigin | undefined;
}

/** What the channel serves. Where it is deleted from the store, what is served has it. */
async function releaseBefore(
  channel: string,
  record: ChannelRecord | undefined,
  { snapshot }: State,
  dependencies: PublisherDependencies,
): Promise<Before> {
  const digest = record?.release ?? entryOf(snapshot?.channels ?? {}, channel);
  if (digest === undefined) return { release: undefined, origin: undefined };
  const kept = await keptRelease(digest, dependencies);
  return { release: kept?.release ?? entryOf(snapshot?.releases ?? {}, digest), origin: kept?.origin };
}

function judge(
  { source, release, digest }: Made,
  before: Before,
  record: ChannelRecord | undefined,
  { shipped, compare }: PublisherDependencies,
): Judgement {
  if (record?.release === digest) return { effects: [], held: [], warnings: [] };
  const counted = record?.history.find(({ entries }) => entries !== undefined)?.entries;
  const entries = counted ?? before.origin?.sources?.length;
  const layers = [shipped, source.tree];
  const edit = { before: before.release, after: release, layers, entries, shipped: before.origin?.shipped };
  return judgeEdit(edit, record, compare);
}

function effectMessage({ effects }: Judgement): string {
  return effects.length === 0 ? "" : `; what changes for pods: ${effects.map(({ name }) => name).join(", ")}`;
}

function refusedEffects(channel: string, held: readonly Effect[], path: string): OutriggerError {
  const message = `Cannot publish to ${channel}: it would do what a person has to accept: ${describeEffects(held)}; look at "outrigger diff ${channel} source", then run "${acceptCommand(held)}", or revert the edit`;
  return new OutriggerError("edit-held", message, { path });
}

/** The edit waits in the record. It is written once, however often it is looked at. */
function staysHeld(channel: string, record: ChannelRecord, proposal: Proposal, release: NewRelease): Decision {
  const { held = [] } = proposal;
  const message = `${channel} stays at ${record.release}: the edit waits for a person, because of ${describeEffects(held)}; look at "outrigger diff ${channel} source", then run "${acceptCommand(held)}", or revert the edit ("outrigger repair" puts back what was deleted)`;
  const { proposal: waiting } = record;
  const isNew = waiting === undefined || waiting.tree !== proposal.tree || waiting.release !== proposal.release;
  const warnings = [message, ...release.release.warnings];
  const answer = { message, channel, release: record.release, warnings, held };
  if (!isNew) return answer;
  const settings = { ...settingsOf(record), proposal };
  return { ...answer, change: { kind: "channel", name: channel, settings }, newRelease: release };
}

function stays(channel: string, release: string, message: string, warnings: readonly string[]): Decision {
  return { message, channel, release, warnings: [message, ...warnings] };
}

/** Milliseconds by which a reading may be behind a push that has just ended, at most, and between two readings. */
const BEHIND = 3000;
const AGAIN = 250;

/** The tree; where one is asked for that was pushed just now, it is waited for. */
async function readWanted({ tree }: PublishRequest, dependencies: PublisherDependencies): Promise<SourceSnapshot> {
  const { store, layout, now } = dependencies;
  const sleep = sleepOf(dependencies);
  for (let waited = 0; ; waited += AGAIN) {
    const source = await readSettledSource(store, layout, { now: () => now().getTime(), sleep });
    if (tree === undefined || treeDigest(source.tree) === tree || waited >= BEHIND) return source;
    await sleep(AGAIN);
  }
}

/** An error in the tree names the parameter that contains it. */
function compiled(source: SourceSnapshot, dependencies: PublisherDependencies) {
  const layers = [dependencies.shipped, source.tree];
  try {
    return { release: (dependencies.compile ?? compileRelease)(layers), named: publishChannel(layers) };
  } catch (error) {
    throw error instanceof OutriggerError ? withParameter(error, source, dependencies) : error;
  }
}

/** Never held for a person: what the deployment does not admit, no editor may accept. */
function assertGuarded(release: Release, source: SourceSnapshot, dependencies: PublisherDependencies): void {
  const { guardrails, shipped } = dependencies;
  const [first, ...others] = guardrails === undefined ? [] : guardRelease(guardrails, release, [shipped, source.tree]);
  if (first === undefined) return;
  const { message, path, line, column } = first;
  const more = others.length === 0 ? "" : `; ${others.length} more ${others.length === 1 ? "finding" : "findings"}`;
  const at = line === undefined ? "" : ` (line ${line}, column ${column})`;
  const error = new OutriggerError("guardrail-violated", `${message}${at}${more}`, {
    path,
    ...defined({ line, column }),
  });
  throw withParameter(error, source, dependencies);
}

function withParameter(error: OutriggerError, { versions }: SourceSnapshot, dependencies: PublisherDependencies) {
  const { code, message, path, line, column } = error;
  const owner = Object.keys(versions).find((name) => path === name || path?.startsWith(`${name}.`));
  if (owner === undefined) return error;
  const name = layoutPath(dependencies, owner);
  const listed = message.replace(/; \d+ more (?:errors?|findings?)$/, '$& ("outrigger lint --store" lists all)');
  return new OutriggerError(code, `${listed}; the text is in ${name}, version ${versions[owner]}`, {
    path: name,
    ...defined({ line, column }),
    cause: error,
  });
}

function layoutPath({ layout }: PublisherDependencies, path: string): string {
  return layout.sourceParameter(path);
}

/** The author and reason come from the push that wrote the tree, otherwise from the parameters that were edited. */
async function causeOfEdits(
  { cause }: PublishRequest,
  { tree, manifest }: SourceSnapshot,
  edits: readonly string[],
  dependencies: PublisherDependencies,
): Promise<Cause> {
  if (manifest?.digest === treeDigest(tree)) return { by: manifest.by, why: manifest.why ?? cause.why };
  return { by: await editorsOf(edits, cause.by, dependencies), why: cause.why };
}

/** An unreadable release says nothing about later edits. */
async function keptRelease(digest: string, { store, layout }: PublisherDependencies) {
  try {
    return await readRelease(store, layout, digest);
  } catch (error) {
    if (error instanceof OutriggerError && error.code !== "store-unavailable" && error.code !== "store-denied") return;
    throw error;
  }
}

function treeChanged(path: string): OutriggerError {
  return new OutriggerError(
    "tree-changed",
    `Cannot publish ${path}: it is not the tree that was requested, because it was edited since; pull and push again`,
    { path },
  );
}
