// Deleting what is no longer needed: superseded snapshots, releases that no channel names, and objects of either.
// When in doubt, it is kept.

import { deleteAll, type Parameter, parseReference, readAll } from "@outrigger/aws";
import { ownError } from "@outrigger/base";
import type { PublisherDependencies } from "../dependencies.ts";
import { readLog } from "../records/change-log.ts";
import { releasesOf } from "../records/channel-record.ts";
import { readChannels } from "../records/read-records.ts";
import { readServed } from "../records/read-served.ts";
import { readState, type State } from "../records/read-state.ts";

/** How long unreferenced parameters are kept: a reader may hold an old head, a writer may be about to name a release. */
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
    await deleteObjects(await unnamedObjects(dependencies, before), before, dependencies);
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
  const snapshots = foldersOf(
    await readAll(dependencies.store, dependencies.layout.snapshots),
    dependencies.layout.snapshots,
  );
  const byTime = [...snapshots].sort((a, b) => a.time - b.time);
  const old = byTime.filter((_, index) => (byTime[index + 1]?.time ?? Number.POSITIVE_INFINITY) < before);
  if (old.length === 0) return [];
  const { head } = await readServed(dependencies);
  return old.flatMap(({ name, names }) => (name === head?.digest ? [] : names));
}

/** The records are read last, so that what others have named meanwhile is seen. */
async function unnamedReleases(dependencies: PublisherDependencies, before: number): Promise<readonly string[]> {
  const { store, layout } = dependencies;
  const old = foldersOf(await readAll(store, layout.releases), layout.releases).filter(({ time }) => time < before);
  if (old.length === 0) return [];
  const recorded = named(await readChannels(dependencies));
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

/** Objects that no parameter refers to, with parameters read last. Without a bucket of this deployment there are none. */
async function unnamedObjects(dependencies: PublisherDependencies, before: number): Promise<readonly string[]> {
  const { store, layout } = dependencies;
  const old = (await listObjects(dependencies)).filter(({ lastModified }) => lastModified < before);
  if (old.length === 0) return [];
  const parameters = [...(await readAll(store, layout.releases)), ...(await readAll(store, layout.snapshots))];
  const named = new Set(parameters.map(({ value }) => layout.object(parseReference(value)?.digest ?? "")));
  return old.map(({ key }) => key).filter((key) => !named.has(key));
}

/** An object that was written again meanwhile, by a publisher that is about to refer to it, is kept. */
async function deleteObjects(
  keys: readonly string[],
  before: number,
  dependencies: PublisherDependencies,
): Promise<void> {
  const { store, bucket } = dependencies;
  if (keys.length === 0 || bucket === undefined) return;
  const now = await listObjects(dependencies);
  for (const { key, lastModified } of now) {
    if (keys.includes(key) && lastModified < before) await store.objects?.deleteObject({ bucket, key });
  }
}

async function listObjects({ store, layout, bucket }: PublisherDependencies) {
  if (bucket === undefined || store.objects === undefined) return [];
  return store.objects.listObjects({ bucket, key: layout.objects });
}

interface Folder {
  /** Digest. */
  readonly name: string;
  readonly names: readonly string[];
  /** When the last of it was written; the end of time where the store does not say. */
  readonly time: number;
}

function foldersOf(parameters: readonly Parameter[], path: string): readonly Folder[] {
  const byFolder = new Map<string, Parameter[]>();
  for (const parameter of parameters) {
    const folder = parameter.name.slice(path.length + 1).split("/")[0] as string;
    byFolder.set(folder, [...(byFolder.get(folder) ?? []), parameter]);
  }
  return [...byFolder].map(([name, members]) => ({
    name,
    names: members.map((member) => member.name),
    time: Math.max(...members.map(({ lastModified }) => lastModified ?? Number.POSITIVE_INFINITY)),
  }));
}
