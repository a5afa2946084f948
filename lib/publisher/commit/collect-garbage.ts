// Deleting what is no longer needed: superseded snapshots, and releases that no channel names. When in doubt, it is kept.
import { deleteAll, type Layout, type ListedObject } from "@outrigger/aws";
import { ownError } from "@outrigger/base";
import type { PublisherDependencies } from "../dependencies.ts";
import { readAnnounced } from "../events/announce-changes.ts";
import { type ChangeLog, readLog } from "../records/change-log.ts";
import { releasesOf } from "../records/channel-record.ts";
import { readRecords } from "../records/read-records.ts";
import { readServed } from "../records/read-served.ts";
import { readState, type State } from "../records/read-state.ts";

/** Milliseconds for which unreferenced objects are kept: a reader may hold an old head, a writer may be about to name a release. */
const KEPT_FOR = 60 * 60 * 1000;

/**
 * Takes away snapshots that were superseded, releases that no channel names, and entries of the change log that are too old to be
 * needed. That it cannot is a warning: it will be tried again.
 */
export async function collectGarbage(dependencies: PublisherDependencies): Promise<readonly string[]> {
  const { store, layout, now } = dependencies;
  try {
    const before = now().getTime() - KEPT_FOR;
    const listed = await store.objects.listObjects(layout.objects);
    const isRelease = ({ key }: ListedObject) => key.startsWith(layout.releases);
    const snapshots = listed.filter((object) => !isRelease(object) && object.key !== layout.bucketHead);
    const superseded = await supersededSnapshots(snapshots, before, dependencies);
    const unnamed = await unnamedReleases(listed.filter(isRelease), before, dependencies);
    for (const key of [...superseded, ...unnamed]) await store.objects.deleteObject(key);
    await trimLog(dependencies);
    return [];
  } catch (error) {
    return [`What is not needed any more was not taken away: ${ownError(error).message}`];
  }
}

/** Deletes entries of the log that are not needed any more, where they are worth a call. */
async function trimLog(dependencies: PublisherDependencies): Promise<void> {
  const log = await readLog(dependencies);
  if (log.expired.length === 0) return;
  const kept = dependencies.sendEvents && (await unsentOf(log.entries, dependencies));
  const { expired } = await readState(dependencies, { isWholeLog: true });
  const needless = expired.filter((number) => kept?.has(number) !== true);
  await deleteAll(dependencies.store, needless.map(dependencies.layout.change));
}

/** Milliseconds for which an entry is kept for its event: as long as EventBridge itself tries to deliver one. */
const SENT_WITHIN = 24 * 60 * 60 * 1000;

/** The numbers of entries whose event was not sent yet, and still may be. */
async function unsentOf(entries: ChangeLog["entries"], dependencies: PublisherDependencies) {
  const announced = await readAnnounced(dependencies);
  const since = dependencies.now().getTime() - SENT_WITHIN;
  const unsent = entries.filter(({ number, at }) => number > announced && Date.parse(at) > since);
  return new Set(unsent.map(({ number }) => number));
}

/** A snapshot was superseded when the next one was written, not when it was written itself. */
async function supersededSnapshots(
  snapshots: readonly ListedObject[],
  before: number,
  dependencies: PublisherDependencies,
): Promise<readonly string[]> {
  const byTime = [...snapshots].sort((a, b) => a.lastModified - b.lastModified);
  const old = byTime.filter((_, index) => (byTime[index + 1]?.lastModified ?? Number.POSITIVE_INFINITY) < before);
  if (old.length === 0) return [];
  const { head, bucketHead } = await readServed(dependencies);
  const named = [head, bucketHead.head].map((each) => dependencies.layout.snapshot(each?.digest ?? ""));
  return old.flatMap(({ key }) => (named.includes(key) ? [] : key));
}

/**
 * The records are read last, so that what others have named meanwhile is seen. One that was written again meanwhile, by a publisher that is
 * about to name it, is kept: it is listed once more.
 */
async function unnamedReleases(
  releases: readonly ListedObject[],
  before: number,
  dependencies: PublisherDependencies,
): Promise<readonly string[]> {
  const { store, layout } = dependencies;
  const old = releases.filter(({ lastModified }) => lastModified < before);
  if (old.length === 0) return [];
  const recorded = keysOf(await readRecords(dependencies, ["channel"]), layout);
  // What all records come to costs a call for ten clusters.
  if (old.every(({ key }) => recorded.has(key))) return [];
  const state = await readState(dependencies);
  // The history of a channel whose record cannot be read may name any of them.
  if (state.unreadable.channels.length > 0) return [];
  const named = new Set([...keysOf(state, layout), ...Object.keys(state.snapshot?.releases ?? {}).map(layout.release)]);
  const unnamed = old.filter(({ key }) => !named.has(key));
  if (unnamed.length === 0) return [];
  const again = await store.objects.listObjects(layout.releases);
  const isStillOld = (key: string) => again.some((object) => object.key === key && object.lastModified < before);
  return unnamed.flatMap(({ key }) => (isStillOld(key) ? key : []));
}

/** The keys of the releases that the records of channels name. */
function keysOf({ channels }: Pick<State, "channels">, layout: Layout): ReadonlySet<string> {
  return new Set(Object.values(channels).flatMap(releasesOf).map(layout.release));
}
