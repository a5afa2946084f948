// The records of channels and clusters: reading them as they are stored, and what a change makes of them. What cannot
// be read is reported as a problem.
import { type Layout, readAll, readRecord, type Tier } from "@outrigger/aws";
import { channelNamePattern, clusterNamePattern, entryOf, OutriggerError } from "@outrigger/base";
import { type ClusterRecord, parseClusterRecord } from "@outrigger/serving";
import type { StoreAccess } from "../dependencies.ts";
import { errorOf, type PublisherError } from "../request/publisher-result.ts";
import { type ChannelRecord, changeOf, parseChannelRecord, withMove, withSettings } from "./channel-record.ts";
import type { LogEntry, LoggedChange } from "./log-entry.ts";
import { numbersAfter, type RecordNumbers } from "./record-numbers.ts";

export interface ChannelRecords {
  readonly channels: Readonly<Record<string, ChannelRecord>>;
  /** The number of the change that wrote each record last. */
  readonly numbers: RecordNumbers;
  readonly unreadable: { readonly channels: readonly string[]; readonly clusters: readonly string[] };
}

export interface Records extends ChannelRecords {
  readonly clusters: Readonly<Record<string, ClusterRecord>>;
  readonly problems: readonly PublisherError[];
}

/** Records as they are stored, and when each was, as `channel/stable`, in milliseconds since 1970. */
export type StoredRecords = Records & { readonly modified: ReadonlyMap<string, number> };

/** Where the records of a kind are: below the prefix, in a snapshot, and in what is read. */
export const FOLDERS = { channel: "channels", cluster: "clusters" } as const;

const PATTERNS = { channel: channelNamePattern, cluster: clusterNamePattern } as const;

/**
 * The records as they are stored, whatever the log says.
 *
 * @param kinds those of channels alone cost less: there may be a thousand clusters
 */
export async function readRecords(
  { store, layout }: StoreAccess,
  kinds: readonly LoggedChange["kind"][] = ["channel", "cluster"],
): Promise<StoredRecords> {
  const channels: Record<string, ChannelRecord> = {};
  const clusters: Record<string, ClusterRecord> = {};
  const numbers: Record<string, number | undefined> = {};
  const modified = new Map<string, number>();
  const unreadable = { channels: [] as string[], clusters: [] as string[] };
  const problems: PublisherError[] = [];
  for (const kind of kinds) {
    const folder = FOLDERS[kind];
    for (const parameter of await readAll(store, layout[folder])) {
      const name = parameter.name.slice(layout[folder].length + 1);
      const key = `${kind}/${name}`;
      modified.set(key, parameter.lastModified ?? 0);
      // Of a record that cannot be read, nobody knows.
      numbers[key] = undefined;
      try {
        if (!PATTERNS[kind].test(name)) {
          const message = `Cannot read ${parameter.name}: nothing is kept under such a name; delete it`;
          throw new OutriggerError("store-corrupt", message, { path: parameter.name });
        }
        const value = readRecord(parameter);
        const number = changeOf(value);
        if (kind === "channel") channels[name] = parseChannelRecord(value, parameter.name);
        else clusters[name] = parseClusterRecord(value, parameter.name);
        numbers[key] = number;
      } catch (error) {
        unreadable[folder].push(name);
        problems.push(errorOf(error));
      }
    }
  }
  return { channels, clusters, numbers, unreadable, problems, modified };
}

export function withEntry({ number, change }: LogEntry, records: Records, layout: Layout, tier: Tier): Records {
  const { kind, name } = change;
  const folder = FOLDERS[kind];
  const { channels, clusters } = records;
  return {
    channels: change.kind === "channel" ? replaced(channels, name, channelAfter(channels, change, tier)) : channels,
    clusters: change.kind === "cluster" ? replaced(clusters, name, change.record) : clusters,
    numbers: numbersAfter(records.numbers, { number, change }),
    unreadable: { ...records.unreadable, [folder]: records.unreadable[folder].filter((other) => other !== name) },
    problems: records.problems.filter(({ path }) => path !== layout[kind](name)),
  };
}

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
