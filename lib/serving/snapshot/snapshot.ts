// What `serve/` carries: one derived snapshot of everything that serving takes. It is whole or it is nothing: its digest is
// that of its bytes, and everything in it was written by one commit.

import { createHash } from "node:crypto";
import { MAX_PARTS } from "@outrigger/aws";
import { isObject, type JsonObject, type JsonValue, OutriggerError, parseJson } from "@outrigger/base";
import type { Release } from "@outrigger/injector";
import { type ClusterRecord, parseServedRecord } from "./cluster-record.ts";
import type { Share } from "./workload-share.ts";

/** Version of the snapshot's form. A reader refuses any other and keeps what it has. */
export const SNAPSHOT_FORMAT = 1;

/** Everything that serving takes, as one commit left it. */
export interface Snapshot {
  readonly format: number;
  /**
   * The commit's number, which is the head's too. It only grows, and readers ignore a lower one than they have seen.
   */
  readonly seq: number;
  /** The digest of each channel's release. */
  readonly channels: Readonly<Record<string, string>>;
  readonly clusters: Readonly<Record<string, ClusterRecord>>;
  /** The releases that a channel names, each once, by digest. */
  readonly releases: Readonly<Record<string, Release>>;
  /** Channels that are pinned, so that a lost record can be restored as it was. */
  readonly pins: readonly string[];
  /** The channel that edits go to, kept for the same reason as `pins`. If it is left out, it is stable. */
  readonly edits?: string;
  /**
   * The release that a share of a channel's workloads is served in place of its own, by channel. It is left out if no
   * channel has one.
   */
  readonly shares?: Readonly<Record<string, Share>>;
  /** The number of the last change that it was derived from. */
  readonly change: number;
}

/** The head of the snapshot, `serve/head`: the one commit point. */
export interface Head {
  /** The digest of the snapshot's compressed bytes. packParts() of @outrigger/aws makes it. */
  readonly digest: string;
  /** The number of parts that the snapshot has: 1 to 9. */
  readonly parts: number;
  readonly seq: number;
}

/** The first 12 hexadecimal digits of the SHA-256 of the release as JSON. Equal trees give equal names. */
export function releaseDigest(release: Release | JsonObject): string {
  return createHash("sha256").update(JSON.stringify(release)).digest("hex").slice(0, 12);
}

/**
 * Reads `serve/head`.
 *
 * @param place the parameter's name, for the error
 * @throws OutriggerError `store-corrupt`
 */
export function parseHead(text: string, place: string): Head {
  const value = parseJson(text);
  if (!isObject(value)) throw corrupt(place, "it is not JSON of a mapping");
  const { digest, parts, seq } = value;
  if (typeof digest !== "string" || !/^[0-9a-f]{32}$/.test(digest)) throw corrupt(place, "it names no snapshot");
  if (!isWhole(parts) || parts < 1 || parts > MAX_PARTS) throw corrupt(place, `parts is not 1 to ${MAX_PARTS}`);
  if (!isWhole(seq)) throw corrupt(place, "seq is not a whole number");
  return { digest, parts, seq };
}

/**
 * The snapshot as it is packed, JSON in lines: everything but clusters; the digests of all live tokens; each cluster. So a cluster is found
 * and parsed without the others. A line break in JSON is never part of a text.
 */
export function snapshotText({ clusters, ...others }: Snapshot): string {
  const records = Object.entries(clusters);
  const tokens = records.flatMap(([, { tokens }]) => tokens.map(({ sha256 }) => sha256)).join("");
  const lines = records.map(([name, record]) => `${JSON.stringify(name)}:${JSON.stringify(record)}`);
  return `${JSON.stringify(others).slice(0, -1)},\n"tokens":"${tokens}",\n"clusters":{\n${lines.join(",\n")}\n}}`;
}

/**
 * Checks a snapshot. It looks only at the form of the releases: one in an unknown form is the business of the code that
 * loads it, because the others can be served.
 *
 * @param place where it was read, for the error
 * @throws OutriggerError `store-corrupt`; `release-unsupported` for a snapshot of another format; `cluster-invalid`
 */
export function parseSnapshot(text: string, head: Head, place: string): Snapshot {
  const value = parseJson(text);
  if (!isObject(value)) throw corrupt(place, "it is not a mapping");
  const { format, seq, channels, clusters, releases, pins, edits, shares, change } = value;
  if (format !== SNAPSHOT_FORMAT) {
    const message = `Cannot use ${place}: its format is ${JSON.stringify(format)?.slice(0, 20)} and this version reads ${SNAPSHOT_FORMAT}; deploy the version that wrote it, or publish again with this one`;
    throw new OutriggerError("release-unsupported", message, { path: place });
  }
  if (seq !== head.seq) throw corrupt(place, "its seq is not that of the head");
  return {
    format,
    seq: head.seq,
    channels: entriesOf(channels, place, "channels", isText),
    clusters: parseClusters(clusters, place),
    releases: entriesOf(releases, place, "releases", isRelease),
    pins: Array.isArray(pins) ? pins.filter(isText) : [],
    ...(isText(edits) && { edits }),
    ...(shares !== undefined && { shares: entriesOf(shares, place, "shares", isShare) }),
    change: isWhole(change) ? change : 0,
  };
}

function parseClusters(value: JsonValue | undefined, place: string): Readonly<Record<string, ClusterRecord>> {
  const clusters = Object.entries(entriesOf(value, place, "clusters", isObject));
  return Object.fromEntries(clusters.map(([name, record]) => [name, parseServedRecord(record, `${name} in ${place}`)]));
}

function entriesOf<Entry>(
  value: JsonValue | undefined,
  place: string,
  key: string,
  isEntry: (entry: unknown) => entry is Entry,
): Readonly<Record<string, Entry>> {
  if (!isObject(value)) throw corrupt(place, `${key} is not a mapping`);
  const entries = Object.entries(value).map(([name, entry]) => {
    if (!isEntry(entry)) throw corrupt(place, `${key} has a wrong entry ${JSON.stringify(name.slice(0, 100))}`);
    return [name, entry] as const;
  });
  return Object.fromEntries(entries);
}

function isText(entry: unknown): entry is string {
  return typeof entry === "string";
}

function isShare(entry: unknown): entry is Share {
  return isObject(entry) && typeof entry["release"] === "string" && typeof entry["percent"] === "number";
}

function isRelease(entry: unknown): entry is Release {
  return isObject(entry) && typeof entry["format"] === "number";
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** An error about something kept in the store, with the remedy that they share. */
export function corrupt(place: string, why: string): OutriggerError {
  return new OutriggerError("store-corrupt", `Cannot use ${place}: ${why}; publish again`, { path: place });
}
