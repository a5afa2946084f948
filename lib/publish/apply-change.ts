// Owns carrying out a change: everything that could refuse it comes first, then the release, then the record, then the
// commit, then whatever is no longer needed is deleted.
import { jsonEqual } from "../json.ts";
import type { Layout } from "../parameter-store/parameter-layout.ts";
import { recordText } from "../parameter-store/record-text.ts";
import type { Release } from "../release/release.ts";
import type { ClusterRecord } from "../serve/cluster-record.ts";
import { collectGarbage } from "./collect-garbage.ts";
import { commitSnapshot, isHalfWritten } from "./commit-snapshot.ts";
import type { PublisherDependencies } from "./dependencies.ts";
import { planCommit } from "./plan-commit.ts";
import type { ChannelRecord, PublisherError } from "./publisher-request.ts";
import { entryOf, type State } from "./read-state.ts";
import { type ReleaseOrigin, writeRelease } from "./release-parameters.ts";

/** One record that becomes another; null takes it away. */
export type Change =
  | {
      readonly kind: "channel";
      readonly name: string;
      readonly record: ChannelRecord | null;
      /** The release that the record names, where it may not be in the store yet. */
      readonly release?: { readonly digest: string; readonly release: Release; readonly origin: ReleaseOrigin };
    }
  | { readonly kind: "cluster"; readonly name: string; readonly record: ClusterRecord | null }
  /** Finishes only what was left half done; "repair" also collects garbage. */
  | { readonly kind: "none" | "repair" };

type RecordChange = Extract<Change, { readonly name: string }>;

export interface Applied {
  readonly seq: number;
  readonly changed: boolean;
  readonly problems: readonly PublisherError[];
  readonly warnings: readonly string[];
}

/**
 * Carries out a change. A crash between any two writes leaves what is served as it was or as it will be; the same
 * request again, or any other, finishes it.
 */
export async function applyChange(
  asked: Change,
  state: State,
  dependencies: PublisherDependencies,
  dryRun: boolean,
): Promise<Applied> {
  const change = "name" in asked && changesRecord(asked, state) ? asked : undefined;
  const next = change === undefined ? state : withChange(state, change, dependencies.layout);
  const release = change?.kind === "channel" ? change.release : undefined;
  const plan = await planCommit(next, release === undefined ? {} : { [release.digest]: release.release }, dependencies);
  if (dryRun) {
    const changed = change !== undefined || plan.next !== undefined || isHalfWritten(state);
    return { seq: state.head?.seq ?? 0, changed, problems: plan.problems, warnings: [] };
  }
  if (release !== undefined) await writeRelease(release.release, release.digest, release.origin, dependencies);
  if (change !== undefined) await writeRecord(change, dependencies);
  const committed = await commitSnapshot(plan, next, dependencies);
  const changed = change !== undefined || committed.changed;
  const isRepair = asked.kind === "repair";
  const withReleases = isRepair || (change !== undefined && dropsRelease(change, state));
  const warnings = changed || isRepair ? await collectGarbage(dependencies, withReleases) : [];
  return { ...committed, changed, warnings };
}

function changesRecord({ kind, name, record }: RecordChange, state: State): boolean {
  const folder = folderOf(kind);
  return state.unreadable[folder].includes(name) || !jsonEqual(recordIn(state, kind, name) ?? null, record);
}

function recordIn({ channels, clusters }: State, kind: RecordChange["kind"], name: string) {
  return kind === "channel" ? entryOf(channels, name) : entryOf(clusters, name);
}

/** Whether a channel's record names fewer releases than before. */
function dropsRelease({ kind, name, record }: RecordChange, { channels }: State): boolean {
  if (kind === "cluster") return false;
  const after = new Set(record?.history.map(({ release }) => release));
  return entryOf(channels, name)?.history.some(({ release }) => !after.has(release)) ?? false;
}

/** The state as if the record were written: what is derived from it is known to fit before it is. */
function withChange(state: State, change: RecordChange, layout: Layout): State {
  const folder = folderOf(change.kind);
  const parameter = parameterOf(change, layout);
  return {
    ...state,
    ...(change.kind === "channel"
      ? { channels: replaced(state.channels, change.name, change.record) }
      : { clusters: replaced(state.clusters, change.name, change.record) }),
    unreadable: { ...state.unreadable, [folder]: state.unreadable[folder].filter((name) => name !== change.name) },
    problems: state.problems.filter(({ path }) => path !== parameter),
  };
}

function replaced<Item>(records: Readonly<Record<string, Item>>, name: string, record: Item | null) {
  const others = Object.entries(records).filter(([other]) => other !== name);
  return Object.fromEntries<Item>(record === null ? others : [...others, [name, record]]);
}

async function writeRecord(change: RecordChange, { store, layout, tier }: PublisherDependencies): Promise<void> {
  const name = parameterOf(change, layout);
  if (change.record === null) await store.deleteParameters([name]);
  else await store.putParameter({ name, value: recordText(change.record), overwrite: true, tier });
}

function parameterOf({ kind, name }: RecordChange, layout: Layout): string {
  return kind === "channel" ? layout.channel(name) : layout.cluster(name);
}

function folderOf(kind: RecordChange["kind"]): "channels" | "clusters" {
  return kind === "channel" ? "channels" : "clusters";
}
