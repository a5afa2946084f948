// The records of channels and clusters: reading them as they are stored, and what a change makes of them. What cannot
// be read is reported as a problem.
import { type Layout, type ParameterReader, readAll, readRecord, type Tier } from "@outrigger/aws";
import { channelNamePattern, clusterNamePattern, entryOf, type JsonValue, OutriggerError } from "@outrigger/base";
import { type ClusterRecord, parseClusterRecord } from "@outrigger/serving";
import type { PublisherDependencies } from "../dependencies.ts";
import { type ChannelRecord, errorOf, type PublisherError } from "../request/publisher-request.ts";
import type { LoggedChange, RecordNumbers } from "./change-log.ts";
import { changeOf, parseChannelRecord, withMove, withSettings } from "./channel-record.ts";

export interface Records {
  readonly channels: Readonly<Record<string, ChannelRecord>>;
  readonly clusters: Readonly<Record<string, ClusterRecord>>;
  /** Names of channels and clusters whose records cannot be read. */
  readonly unreadable: { readonly channels: readonly string[]; readonly clusters: readonly string[] };
  readonly problems: readonly PublisherError[];
}

/** What reading takes of what the publisher is given. */
export interface StoreAccess extends Pick<PublisherDependencies, "layout"> {
  readonly store: ParameterReader;
}

/** The records as they are stored, whatever the log says. */
export async function readRecords(dependencies: StoreAccess): Promise<Records> {
  return recordsOf(await readStored(dependencies));
}

/** The records of channels alone, with the change that each was written by. */
export async function readChannels(
  access: StoreAccess,
): Promise<Pick<Records, "channels" | "unreadable"> & { readonly numbers: RecordNumbers }> {
  const { layout } = access;
  const stored = await readFolder(access, layout.channels, channelNamePattern, parseChannelRecord);
  const { records: channels, unreadable } = stored;
  return { channels, unreadable: { channels: unreadable, clusters: [] }, numbers: numbersIn("channel", stored) };
}

export type StoredRecords = Awaited<ReturnType<typeof readStored>>;

export async function readStored(dependencies: StoreAccess) {
  const { layout } = dependencies;
  return {
    channels: await readFolder(dependencies, layout.channels, channelNamePattern, parseChannelRecord),
    clusters: await readFolder(dependencies, layout.clusters, clusterNamePattern, parseClusterRecord),
  };
}

export function recordsOf({ channels, clusters }: StoredRecords): Records {
  return {
    channels: channels.records,
    clusters: clusters.records,
    unreadable: { channels: channels.unreadable, clusters: clusters.unreadable },
    problems: [...channels.problems, ...clusters.problems],
  };
}

/** The records after a change. */
export function withChange(records: Records, change: LoggedChange, layout: Layout, tier: Tier): Records {
  const folder = folderOf(change.kind);
  const parameter = change.kind === "channel" ? layout.channel(change.name) : layout.cluster(change.name);
  const { channels, clusters } = records;
  return {
    channels:
      change.kind === "channel" ? replaced(channels, change.name, channelAfter(channels, change, tier)) : channels,
    clusters: change.kind === "cluster" ? replaced(clusters, change.name, change.record) : clusters,
    unreadable: { ...records.unreadable, [folder]: records.unreadable[folder].filter((name) => name !== change.name) },
    problems: records.problems.filter(({ path }) => path !== parameter),
  };
}

/** The record of the channel that a change is about, after it. */
function channelAfter(
  channels: Records["channels"],
  change: Exclude<LoggedChange, { readonly kind: "cluster" }>,
  tier: Tier,
): ChannelRecord | null {
  const before = entryOf(channels, change.name);
  if ("move" in change) return withMove(before, change.move, change.pinned, tier);
  // Settings of a channel whose record is gone say nothing.
  return "settings" in change && before !== undefined ? withSettings(before, change.settings, tier) : null;
}

function replaced<Item>(records: Readonly<Record<string, Item>>, name: string, record: Item | null) {
  const others = Object.entries(records).filter(([other]) => other !== name);
  const entries: [string, Item][] = record === null ? others : [...others, [name, record]];
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Of a record that cannot be read, nobody knows. */
export function numbersIn(
  kind: LoggedChange["kind"],
  { parameters, unreadable }: StoredRecords["channels" | "clusters"],
): RecordNumbers {
  const numbers = [...parameters].map(([name, { change }]) => [
    `${kind}/${name}`,
    unreadable.includes(name) ? undefined : change,
  ]);
  return Object.fromEntries(numbers);
}

export function folderOf(kind: LoggedChange["kind"]): "channels" | "clusters" {
  return kind === "channel" ? "channels" : "clusters";
}

async function readFolder<Item>(
  { store }: StoreAccess,
  path: string,
  pattern: RegExp,
  parse: (value: JsonValue, place: string) => Item,
) {
  const records: [string, Item][] = [];
  const unreadable: string[] = [];
  const problems: PublisherError[] = [];
  const parameters = new Map<string, StoredParameter>();
  for (const parameter of await readAll(store, path)) {
    const name = parameter.name.slice(path.length + 1);
    const { lastModified = 0 } = parameter;
    parameters.set(name, { change: undefined, lastModified });
    try {
      if (!pattern.test(name)) throw misnamed(parameter.name);
      const value = readRecord(parameter);
      parameters.set(name, { change: changeOf(value), lastModified });
      records.push([name, parse(value, parameter.name)]);
    } catch (error) {
      unreadable.push(name);
      problems.push(errorOf(error));
    }
  }
  const byName = Object.fromEntries(records) as Readonly<Record<string, Item>>;
  return { records: byName, unreadable, problems, parameters: parameters as ReadonlyMap<string, StoredParameter> };
}

interface StoredParameter {
  /** The change that wrote it; undefined where a person did. */
  readonly change: number | undefined;
  readonly lastModified: number;
}

function misnamed(name: string): OutriggerError {
  return new OutriggerError("store-corrupt", `Cannot read ${name}: nothing is kept under such a name; delete it`, {
    path: name,
  });
}
