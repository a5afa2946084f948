// Deleting what is no longer needed: superseded snapshots, releases that no channel names, and objects of either.
// When in doubt, it is kept.
import { deleteAll, type Parameter, parseReference, readAll } from "@outrigger/aws";
import { ownError } from "@outrigger/base";
import type { PublisherDependencies } from "../dependencies.ts";
import { readLog } from "../records/change-log.ts";
import { releasesOf } from "../records/channel-record.ts";
import { readRecords } from "../records/read-records.ts";
import { readServed } from "../records/read-served.ts";
import { readState, type State } from "../records/read-state.ts";

/** Milliseconds for which unreferenced parameters are kept: a reader may hold an old head, a writer may be about to name a release. */
const KEPT_FOR = 60 * 60 * 1000;

/**
 * Takes away snapshots that were superseded, releases that no channel names, and entries of the change log that are too old to be
 * needed. That it cannot is a warning: it will be tried again.
 */
export async function collectGarbage(dependencies: PublisherDependencies): Promise<readonly string[]> {
  try {
    const before = dependencies.now().getTime() - KEPT_FOR;
    await deleteAll(dependencies.store, await supersededSnapshots(dependencies, before));
    await deleteAll(dependencies.store, await unnamedReleases(dependencies, before));
    await deleteUnnamedObjects(dependencies, before);
    await trimLog(dependencies);
    return [];
  } catch (error) {
    return [`What is not needed any more was not taken away: ${ownError(error).message}`];
  }
}

/** Deletes entries of the log that are not needed any more, where they are worth a call. */
async function trimLog(dependencies: PublisherDependencies): Promise<void> {
  const { store, layout, now } = dependencies;
  if ((await readLog(store, layout, now())).expired.length === 0) return;
  const { expired } = await readState(dependencies, { isWholeLog: true });
  await deleteAll(dependencies.store, expired.map(layout.change));
}

/** A snapshot was superseded when the next one was written, not when it was written itself. */
async function supersededSnapshots(dependencies: PublisherDependencies, before: number): Promise<readonly string[]> {
  const { store, layout } = dependencies;
  const snapshots = await foldersIn(layout.snapshots, store);
  const byTime = [...snapshots].sort((a, b) => a.time - b.time);
  const old = byTime.filter((_, index) => (byTime[index + 1]?.time ?? Number.POSITIVE_INFINITY) < before);
  if (old.length === 0) return [];
  const { head } = await readServed(dependencies);
  return old.flatMap(({ name, names }) => (name === head?.digest ? [] : names));
}

/** The records are read last, so that what others have named meanwhile is seen. */
async function unnamedReleases(dependencies: PublisherDependencies, before: number): Promise<readonly string[]> {
  const { store, layout } = dependencies;
  const old = (await foldersIn(layout.releases, store)).filter(({ time }) => time < before);
  if (old.length === 0) return [];
  const recorded = named(await readRecords(dependencies, ["channel"]));
  // What all records come to costs a call for ten clusters.
  if (old.every(({ name }) => recorded.has(name))) return [];
  const state = await readState(dependencies);
  // The history of a channel whose record cannot be read may name any of them.
  if (state.unreadable.channels.length > 0) return [];
  const all = new Set([...named(state), ...Object.keys(state.snapshot?.releases ?? {})]);
  return old.flatMap(({ name, names }) => (all.has(name) ? [] : names));
}

function named({ channels }: Pick<State, "channels">): ReadonlySet<string> {
  return new Set(Object.values(channels).flatMap(releasesOf));
}

/** Deletes objects that no parameter refers to, with parameters read last. Without a bucket of this deployment there are none. */
async function deleteUnnamedObjects({ store, layout, bucket }: PublisherDependencies, before: number): Promise<void> {
  const { objects } = store;
  if (bucket === undefined || objects === undefined) return;
  const listOld = async () => {
    const listed = await objects.listObjects({ bucket, key: layout.objects });
    return listed.flatMap(({ key, lastModified }) => (lastModified < before ? [key] : []));
  };
  const old = await listOld();
  if (old.length === 0) return;
  const parameters = [...(await readAll(store, layout.releases)), ...(await readAll(store, layout.snapshots))];
  const named = new Set(parameters.map(({ value }) => layout.object(parseReference(value)?.digest ?? "")));
  const unnamed = old.filter((key) => !named.has(key));
  // One that was written again meanwhile, by a publisher that is about to refer to it, is kept.
  const still = unnamed.length === 0 ? [] : await listOld();
  for (const key of unnamed) if (still.includes(key)) await objects.deleteObject({ bucket, key });
}

/** Folders by their digest; `time` is when the last of one was written, the end of time where the store does not say. */
async function foldersIn(path: string, store: PublisherDependencies["store"]) {
  const byFolder = new Map<string, Parameter[]>();
  for (const parameter of await readAll(store, path)) {
    const folder = parameter.name.slice(path.length + 1).split("/")[0] as string;
    byFolder.set(folder, [...(byFolder.get(folder) ?? []), parameter]);
  }
  return [...byFolder].map(([name, members]) => ({
    name,
    names: members.map((member) => member.name),
    time: Math.max(...members.map(({ lastModified }) => lastModified ?? Number.POSITIVE_INFINITY)),
  }));
}
