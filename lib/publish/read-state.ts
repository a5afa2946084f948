// Owns what the publisher knows before it does anything: what is served, and the records that it is derived from. What
// cannot be read of them is reported as a problem, and is served as before.

import { OutriggerError } from "../errors.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import { channelNamePattern, clusterNamePattern } from "../names.ts";
import { MAX_PARTS } from "../parameter-store/parameter-layout.ts";
import type { Parameter } from "../parameter-store/parameter-store.ts";
import { unpackParts } from "../parameter-store/parts.ts";
import { readAll } from "../parameter-store/read-all.ts";
import { readRecord } from "../parameter-store/record-text.ts";
import { type ClusterRecord, parseClusterRecord } from "../serve/cluster-record.ts";
import { parseHead, parseSnapshot } from "../serve/parse-snapshot.ts";
import type { Head, Snapshot } from "../serve/snapshot.ts";
import { parseChannelRecord } from "./channel-record.ts";
import type { PublisherDependencies } from "./dependencies.ts";
import { errorOf } from "./publisher-error.ts";
import type { ChannelRecord, PublisherError } from "./publisher-request.ts";

/** What readers are given. */
export interface Served {
  readonly head: Head | undefined;
  /** Of the head's parameter; 0 where there is none. */
  readonly headVersion: number;
  /** Whether the writer of the head had seen the one before it. If not, readers may have seen a later commit than it names. */
  readonly isInOrder: boolean;
  /** Undefined where nothing whole is served. */
  readonly snapshot: Snapshot | undefined;
  /** Parts in `images/`, where all are there and right. */
  readonly kept: readonly string[] | undefined;
  /** Parts in the mirror, where all are there and right. */
  readonly mirrored: readonly string[] | undefined;
}

export interface Records {
  readonly channels: Readonly<Record<string, ChannelRecord>>;
  readonly clusters: Readonly<Record<string, ClusterRecord>>;
  /** Names of channels and clusters whose records cannot be read. */
  readonly unreadable: { readonly channels: readonly string[]; readonly clusters: readonly string[] };
  readonly problems: readonly PublisherError[];
}

export interface State extends Served, Records {}

/** What reading takes of what the publisher is given. */
export type StoreAccess = Pick<PublisherDependencies, "store" | "layout">;

/** What is served is read first: whatever others commit after that is noticed by the head's version. */
export async function readState(dependencies: PublisherDependencies): Promise<State> {
  const served = await readServed(dependencies);
  return { ...served, ...(await readRecords(dependencies)) };
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
  if (head === undefined) {
    return { head, headVersion, isInOrder: false, snapshot: undefined, kept: undefined, mirrored: undefined };
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
    snapshot: whole && snapshotOf(whole.value, head, layout.head),
    kept: snapshot?.parts,
    mirrored: mirrored?.parts,
  };
}

export async function readRecords(dependencies: StoreAccess): Promise<Records> {
  const { layout } = dependencies;
  const channels = await readFolder(dependencies, layout.channels, channelNamePattern, parseChannelRecord);
  const clusters = await readFolder(dependencies, layout.clusters, clusterNamePattern, parseClusterRecord);
  return {
    channels: channels.records,
    clusters: clusters.records,
    unreadable: { channels: channels.unreadable, clusters: clusters.unreadable },
    problems: [...channels.problems, ...clusters.problems],
  };
}

/** An own entry: a name such as `constructor` is a name like any other. */
export function entryOf<Item>(records: Readonly<Record<string, Item>>, name: string): Item | undefined {
  return Object.hasOwn(records, name) ? records[name] : undefined;
}

/** A head that cannot be read is written anew by the next commit, whose number is higher than any before. */
function headOf(parameter: Parameter): (Head & { readonly version: unknown }) | undefined {
  try {
    const head = parseHead(parameter.value, parameter.name);
    return { ...head, version: (readRecord(parameter) as JsonObject)["version"] };
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

async function readFolder<Item>(
  { store }: StoreAccess,
  path: string,
  pattern: RegExp,
  parse: (value: ReturnType<typeof readRecord>, place: string) => Item,
) {
  const records: [string, Item][] = [];
  const unreadable: string[] = [];
  const problems: PublisherError[] = [];
  for (const parameter of await readAll(store, path)) {
    const name = parameter.name.slice(path.length + 1);
    try {
      if (!pattern.test(name)) throw misnamed(parameter.name);
      records.push([name, parse(readRecord(parameter), parameter.name)]);
    } catch (error) {
      if (!(error instanceof OutriggerError)) throw error;
      unreadable.push(name);
      problems.push(errorOf(error));
    }
  }
  return { records: Object.fromEntries(records) as Readonly<Record<string, Item>>, unreadable, problems };
}

function misnamed(name: string): OutriggerError {
  return new OutriggerError("store-corrupt", `Cannot read ${name}: nothing is kept under such a name; delete it`, {
    path: name,
  });
}
