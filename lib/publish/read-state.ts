// Owns what the publisher knows before it does anything: what is served, and the records that it is derived from. What
// cannot be read of them is reported as a problem, and is served as before.

import { OutriggerError } from "../errors.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import { type Layout, MAX_PARTS } from "../parameter-store/parameter-layout.ts";
import type { Parameter } from "../parameter-store/parameter-store.ts";
import { unpackParts } from "../parameter-store/parts.ts";
import { readRecord } from "../parameter-store/record-text.ts";
import { parseHead, parseSnapshot } from "../serve/parse-snapshot.ts";
import type { Head, Snapshot } from "../serve/snapshot.ts";
import { type LogEntry, readLog } from "./change-log.ts";
import type { PublisherDependencies } from "./dependencies.ts";
import { errorOf } from "./publisher-error.ts";
import { folderOf, type Records, readStored, recordsOf, type StoreAccess, withChange } from "./read-records.ts";

/** What readers are given. */
export interface Served {
  readonly head: Head | undefined;
  /** Of the head's parameter; 0 where there is none. */
  readonly headVersion: number;
  /** Whether the writer of the head had seen the one before it. If not, readers may have seen a later commit than it names. */
  readonly isInOrder: boolean;
  /** When garbage was last collected, in milliseconds since 1970; 0 where that is unknown. */
  readonly collected: number;
  /** Undefined where nothing whole is served. */
  readonly snapshot: Snapshot | undefined;
  /** Parts in `images/`, where all are there and right. */
  readonly kept: readonly string[] | undefined;
  /** Parts in the mirror, where all are there and right. */
  readonly mirrored: readonly string[] | undefined;
  /** The version of each parameter of the mirror; 0 where there is none. */
  readonly mirrorVersions: readonly number[];
}

export interface State extends Served, Records {
  /** Changes that were made lately, the oldest first. */
  readonly entries: readonly LogEntry[];
  /** The number of the last change; the next one takes the number after it. */
  readonly lastChange: number;
  /** Records that are behind the log, because the publisher that changed them has not written them yet. */
  readonly behind: readonly LogEntry[];
  /** Numbers of entries that may be deleted: they are old, and the records hold what they say. */
  readonly expired: readonly number[];
}

/**
 * Reads what is served, then the records, then the log: what others commit after that is noticed by the head's version,
 * and what others change by the number in the log.
 *
 * | a record is            | and the log says               | then it is                                    |
 * |------------------------|--------------------------------|-----------------------------------------------|
 * | older than the log     | what became of it              | what the log says: its writer stopped, or is slow |
 * | missing, and is served | nothing, or that it was served | kept as served, and reported: it was deleted by hand |
 * | missing, and is served | that it was removed            | removed                                       |
 * | unreadable             | nothing newer                  | kept as served, and reported                  |
 */
export async function readState(dependencies: PublisherDependencies): Promise<State> {
  const served = await readServed(dependencies);
  const stored = await readStored(dependencies);
  const { entries, last, expired } = await readLog(dependencies.store, dependencies.layout, dependencies.now());
  const since = served.snapshot?.change ?? 0;
  const isNewer = ({ number, at, change: { kind, name } }: LogEntry) => {
    const { parameters, unreadable } = stored[folderOf(kind)];
    const parameter = parameters.get(name);
    if (parameter === undefined) return number > since || isKept(kind, name);
    const written = unreadable.includes(name) ? undefined : parameter.change;
    if (written !== undefined) return number > written;
    // Written by hand, or damaged: only what was changed after that is newer.
    return number > since && Date.parse(at) > parameter.lastModified;
  };
  const isKept = (kind: string, name: string) => {
    const last = entries.filter(({ change }) => change.kind === kind && change.name === name).at(-1);
    return last !== undefined && !("record" in last.change && last.change.record === null);
  };
  const newer = entries.filter(isNewer);
  const records = withEntries(recordsOf(stored), newer, dependencies);
  const lastWritten = [...stored.channels.parameters.values(), ...stored.clusters.parameters.values()];
  const lastChange = Math.max(last, since, ...lastWritten.map(({ change = 0 }) => change));
  return {
    ...served,
    ...withMissing(records, served.snapshot, newer, dependencies.layout),
    entries,
    lastChange,
    behind: newer,
    expired: expired.filter((number) => !newer.some((entry) => entry.number === number)),
  };
}

/**
 * Reads `serve/` and the snapshot that it names.
 *
 * @throws OutriggerError `release-unsupported` where a newer version of Outrigger wrote it
 */
export async function readServed({ store, layout }: StoreAccess): Promise<Served> {
  const mirrorNames = Array.from({ length: MAX_PARTS }, (_, index) => layout.mirrorPart(index));
  const parameters = await store.getParameters([layout.head, ...mirrorNames]);
  const headParameter = parameters.find(({ name }) => name === layout.head);
  const headVersion = headParameter?.version ?? 0;
  const head = headParameter === undefined ? undefined : headOf(headParameter);
  const byName = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  const mirrorVersions = mirrorNames.map((name) => byName.get(name)?.version ?? 0);
  if (head === undefined) {
    const nothing = { snapshot: undefined, kept: undefined, mirrored: undefined };
    return { head, headVersion, collected: 0, isInOrder: false, mirrorVersions, ...nothing };
  }
  const names = Array.from({ length: head.parts }, (_, index) => layout.snapshotPart(head.digest, index));
  const snapshot = wholeOf(await store.getParameters(names), names, head);
  const mirror = partsOf(parameters, mirrorNames.slice(0, head.parts));
  const isSame = snapshot?.parts.every((part, index) => part === mirror[index]);
  const mirrored = isSame ? snapshot : wholeOf(parameters, mirrorNames.slice(0, head.parts), head);
  const whole = snapshot ?? mirrored;
  return {
    head,
    headVersion,
    isInOrder: head.version === headVersion,
    collected: typeof head.collected === "number" ? head.collected : 0,
    snapshot: whole && snapshotOf(whole.value, head, layout.head),
    kept: snapshot?.parts,
    mirrored: mirrored?.parts,
    mirrorVersions,
  };
}

/** A head that cannot be read is written anew by the next commit, whose number is higher than any before. */
function headOf(parameter: Parameter): (Head & { readonly version: unknown; readonly collected: unknown }) | undefined {
  try {
    const head = parseHead(parameter.value, parameter.name);
    const { version, collected } = readRecord(parameter) as JsonObject;
    return { ...head, version, collected };
  } catch (error) {
    if (error instanceof OutriggerError) return undefined;
    throw error;
  }
}

/** In the order of the names; those that there are not are left out. */
function partsOf(parameters: readonly Parameter[], names: readonly string[]): readonly string[] {
  const byName = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  return names.flatMap((name) => {
    const parameter = byName.get(name);
    return parameter?.type === "String" ? [parameter.value] : [];
  });
}

function wholeOf(parameters: readonly Parameter[], names: readonly string[], head: Head) {
  const parts = partsOf(parameters, names);
  try {
    const value = parts.length === head.parts ? unpackParts(parts, head.digest, "snapshot") : undefined;
    return value === undefined ? undefined : { parts, value };
  } catch (error) {
    if (error instanceof OutriggerError) return undefined;
    throw error;
  }
}

function snapshotOf(value: JsonValue, head: Head, place: string): Snapshot | undefined {
  try {
    return parseSnapshot(value, head, place);
  } catch (error) {
    if (!(error instanceof OutriggerError)) throw error;
    if (error.code !== "release-unsupported") return undefined;
    const message = `Cannot commit: a newer version of Outrigger wrote what ${place} names; deploy that version again, or delete ${place} and publish with this one`;
    throw new OutriggerError("release-unsupported", message, { path: place, cause: error });
  }
}

function withEntries(records: Records, entries: readonly LogEntry[], { layout, tier }: PublisherDependencies): Records {
  return entries.reduce((before, { change }) => withChange(before, change, layout, tier), records);
}

/** Records that are served and missing, though no command removed them, are treated like unreadable ones. */
function withMissing(records: Records, snapshot: Snapshot | undefined, newer: readonly LogEntry[], layout: Layout) {
  const isLost = (kind: "channel" | "cluster", name: string) =>
    !Object.hasOwn(records[folderOf(kind)], name) &&
    !records.unreadable[folderOf(kind)].includes(name) &&
    !newer.some(({ change }) => change.kind === kind && change.name === name);
  const channels = Object.keys(snapshot?.channels ?? {}).filter((name) => isLost("channel", name));
  const clusters = Object.keys(snapshot?.clusters ?? {}).filter((name) => isLost("cluster", name));
  return {
    ...records,
    unreadable: {
      channels: [...records.unreadable.channels, ...channels],
      clusters: [...records.unreadable.clusters, ...clusters],
    },
    problems: [
      ...records.problems,
      ...channels.map((name) => errorOf(deleted(layout.channel(name)))),
      ...clusters.map((name) => errorOf(deleted(layout.cluster(name)))),
    ],
  };
}

function deleted(name: string): OutriggerError {
  const message = `Cannot find ${name}: the parameter was deleted, and what it said is served as before; run "outrigger restore"`;
  return new OutriggerError("store-corrupt", message, { path: name });
}
