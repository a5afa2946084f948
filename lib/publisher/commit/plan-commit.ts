// Deriving a snapshot from the records: what would be served, and whether it fits. Writes nothing.
import { compressedLength, MAX_OBJECT, type Packed, packParts } from "@outrigger/aws";
import { defined, entryOf, isOwnError, jsonEqual, OutriggerError, readUntil } from "@outrigger/base";
import type { Release, SourceTree } from "@outrigger/injector";
import {
  type ClusterRecord,
  type Head,
  type Share,
  SNAPSHOT_FORMAT,
  type Snapshot,
  snapshotText,
} from "@outrigger/serving";
import { DEFAULT_CHANNEL, editsChannel } from "../channel/edits-channel.ts";
import { type PublisherDependencies, patienceOf } from "../dependencies.ts";
import type { State, StateAccess } from "../records/read-state.ts";
import { readRelease } from "../release/release-object.ts";
import { errorOf, type PublisherError } from "../request/publisher-result.ts";
import type { NewRelease } from "./decision.ts";

/** A snapshot as it is stored. */
export interface Whole extends Pick<Packed, "text" | "parts"> {
  readonly head: Head;
}

export interface Plan {
  /** The snapshot to commit. It is undefined if what is served says all of it already. */
  readonly next: Whole | undefined;
  readonly problems: readonly PublisherError[];
  /** Announces a limit before it is hit. */
  readonly warnings: readonly string[];
}

type Content = Pick<Snapshot, "channels" | "clusters" | "releases" | "pins" | "shares" | "edits">;

/**
 * The snapshot that the records come to.
 *
 * A record or a release that cannot be read leaves what is served of it as it is: one broken parameter takes nothing away
 * from the others. Where nothing whole is served, only a repair leaves out a channel whose release cannot be read.
 *
 * @param newRelease a release that may not be in the store yet
 * @throws OutriggerError `store-full` where it does not fit into an object
 */
export async function planCommit(
  state: State,
  newRelease: NewRelease | undefined,
  dependencies: PublisherDependencies,
  isRepair = false,
): Promise<Plan> {
  const { head, snapshot } = state;
  const fresh = newRelease && { [newRelease.digest]: newRelease.release };
  const { content, problems, isServed } = await compareServed(state, fresh, dependencies, isRepair);
  if (isServed) return { next: undefined, problems, warnings: [] };
  // The time, so that it grows even where the head was deleted, and past what a slower writer has in hand.
  const seq = Math.max((head?.seq ?? snapshot?.seq ?? 0) + 1, dependencies.now().getTime());
  const served: Snapshot = { format: SNAPSHOT_FORMAT, seq, change: state.lastChange, ...content };
  const { pack = packParts, tier, bucket } = dependencies;
  try {
    const { digest, text, parts } = pack(snapshotText(served), tier, describe(content), bucket);
    const next = { head: { digest, parts: parts.length, seq }, text, parts };
    return { next, problems, warnings: nearlyFull(next) };
  } catch (error) {
    throw withLargest(error, newRelease?.tree);
  }
}

/** Computes the snapshot that is to be served, and whether it is served already. */
export async function compareServed(
  { channels, clusters, unreadable, snapshot, problems, entries, isInOrder }: State,
  fresh: Readonly<Record<string, Release>> | undefined,
  dependencies: StateAccess,
  isRepair = false,
): Promise<Pick<Plan, "problems"> & { readonly content: Content; readonly isServed: boolean }> {
  const served: Content = snapshot ?? { channels: {}, clusters: {}, releases: {}, pins: [] };
  const found = new Map<string, Release>([...Object.entries(served.releases), ...Object.entries(fresh ?? {})]);
  const more: PublisherError[] = [];
  const named: Record<string, string> = { ...picked(served.channels, unreadable.channels) };
  const shares: Record<string, Share> = { ...picked(served.shares ?? {}, unreadable.channels) };
  const written = Date.parse(entries.at(-1)?.at ?? "");
  for (const [name, { release, share }] of Object.entries(channels)) {
    const missing = await missingOf(name, [release, share?.release], found, written, dependencies);
    if (missing !== undefined) more.push(missing);
    // What cannot be moved is served as before, all of it.
    const before = { release: entryOf(served.channels, name), share: entryOf(served.shares ?? {}, name) };
    const wanted = missing === undefined ? { release, share } : before;
    if (wanted.release !== undefined) named[name] = wanted.release;
    else if (missing !== undefined && snapshot === undefined && !isRepair) throw leftOut(name, missing);
    if (wanted.share !== undefined) shares[name] = wanted.share;
  }
  const digests = new Set([...Object.values(named), ...Object.values(shares).map(({ release }) => release)]);
  const pins = Object.keys(named).filter((name) => entryOf(channels, name)?.pinned ?? served.pins.includes(name));
  const edits = editsChannel({ channels, unreadable, snapshot });
  const content: Content = {
    channels: named,
    clusters: { ...picked(served.clusters, unreadable.clusters), ...asServed(clusters) },
    pins: pins.sort(),
    ...(edits !== undefined && edits !== DEFAULT_CHANNEL && { edits }),
    ...(Object.keys(shares).length > 0 && { shares }),
    releases: Object.fromEntries([...digests].sort().map((digest) => [digest, found.get(digest) as Release])),
  };
  const isCurrent = (there: Snapshot) => isInOrder && there.change >= (entries.at(-1)?.number ?? 0);
  const isServed =
    snapshot === undefined ? Object.keys(named).length === 0 : isCurrent(snapshot) && sameContent(snapshot, content);
  return { content, problems: [...problems, ...more], isServed };
}

/** Returns the error for which a channel cannot be moved to its releases; undefined where all are found. */
async function missingOf(
  channel: string,
  digests: readonly (string | undefined)[],
  found: Map<string, Release>,
  written: number,
  dependencies: StateAccess,
): Promise<PublisherError | undefined> {
  for (const digest of digests) {
    if (digest === undefined || found.has(digest)) continue;
    const read = () =>
      readRelease(dependencies, digest).catch((error: unknown) => {
        if (isOwnError(error, "store-unavailable", "store-denied")) throw error;
        return errorOf(error);
      });
    const there = await readUntil(read, (each) => "release" in each, patienceOf(dependencies, written));
    if (!("release" in there)) return { ...there, message: `${there.message}; ${channel} cannot be moved to it` };
    found.set(digest, there.release);
  }
  return undefined;
}

/** Makes the error for a channel that cannot be served: a snapshot without it would take the sidecars of all its clusters. */
function leftOut(channel: string, { message, path }: PublisherError): OutriggerError {
  const why = `Cannot serve ${channel}, and nothing is served without it: ${message}; try again, or run "outrigger repair" to leave it out`;
  return new OutriggerError("store-unavailable", why, defined({ path }));
}

/** Returns the clusters without their leases and settings, which do not concern those who serve them. */
function asServed(clusters: Readonly<Record<string, ClusterRecord>>): Readonly<Record<string, ClusterRecord>> {
  return Object.fromEntries(
    Object.entries(clusters).map(([name, { lease: _, settings: _settings, ...record }]) => [name, record]),
  );
}

function picked<Item>(record: Readonly<Record<string, Item>>, names: readonly string[]) {
  return Object.fromEntries(Object.entries(record).filter(([name]) => names.includes(name)));
}

/** Releases go by their digests. */
function sameContent(snapshot: Content, content: Content): boolean {
  const comparable = ({ channels, clusters, releases, pins, edits, shares = {} }: Content) => {
    return { channels, clusters, pins: [...pins], edits, shares, releases: Object.keys(releases).sort() };
  };
  return jsonEqual(comparable(snapshot), comparable(content));
}

function describe({ channels, clusters }: Content): string {
  const count = Object.keys(clusters).length;
  const registered = `${count} ${count === 1 ? "cluster" : "clusters"}`;
  return `the snapshot of ${Object.keys(channels).sort().join(", ")} and ${registered}`;
}

/** Adds the largest texts of a tree to an error that says that it is too large. */
function withLargest(error: unknown, tree: SourceTree = {}): unknown {
  const largest = largestTexts(tree);
  if (!isOwnError(error, "store-full") || largest === "") return error;
  const { code, message, path } = error;
  const details = { ...defined({ path }), cause: error };
  return new OutriggerError(code, `${message}; the largest texts, compressed, are ${largest}`, details);
}

/** The share of what an object holds from which each change says how much is left. */
const NEARLY_FULL = 0.8;

/** Announces a limit before it is hit: past it nothing can be published until something is taken out. */
export function nearlyFull({ text: { length: used } }: Whole): readonly string[] {
  if (used < NEARLY_FULL * MAX_OBJECT) return [];
  const takes = `takes ${used} of ${MAX_OBJECT} characters (${Math.floor((100 * used) / MAX_OBJECT)} %)`;
  const remedy = "take channels, templates, samples or clusters out of it";
  return [`What is served ${takes}, and ${MAX_OBJECT - used} are free: before it is full, ${remedy}`];
}

/**
 * The paths of the three texts that take the most characters, the largest first, in a sentence's form.
 *
 * @example
 * ```ts
 * largestTexts({ mesh: "", "templates/a": "x: 1\n" }) // => "templates/a (16)"
 * largestTexts({}) // => ""
 * ```
 */
export function largestTexts(tree: SourceTree): string {
  return Object.entries(tree)
    .filter(([, text]) => text !== "")
    .map(([path, text]) => [path, compressedLength(text)] as const)
    .sort(([, a], [, b]) => b - a)
    .slice(0, 3)
    .map(([path, characters]) => `${path} (${characters})`)
    .join(", ");
}
