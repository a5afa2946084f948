// A release in the bucket: one object under its digest, which holds the release, packed, and on a line after it, as JSON, how it came about.
import { packText, unpackText } from "@outrigger/aws";
import {
  defined,
  entryOf,
  isObject,
  isOwnError,
  type JsonObject,
  memoizeJson,
  OutriggerError,
  objectOf,
  ownError,
  parseJson,
  unlessOwnError,
} from "@outrigger/base";
import { isKnownFormat, RELEASE_FORMAT, type Release } from "@outrigger/injector";
import { releaseDigest, type Snapshot } from "@outrigger/serving";
import type { PublisherDependencies, StoreAccess } from "../dependencies.ts";
import type { ChannelRecord } from "../records/channel-record.ts";
import type { DatedCause } from "../request/publisher-result.ts";

/** How a release came about when it was last published. */
export interface ReleaseOrigin extends DatedCause {
  /** treeDigest of the source tree. */
  readonly tree: string;
  /** treeDigest of the shipped tree below it; earlier versions left it out. */
  readonly shipped?: string;
  /** The parameters that it was made from, as `templates/sidecar@7`. */
  readonly sources?: readonly string[];
}

export interface StoredRelease {
  readonly release: Release;
  readonly origin: ReleaseOrigin | undefined;
}

/**
 * Reads a release in one call, and checks that it is the one of that digest.
 *
 * @throws OutriggerError `release-unknown` where there is nothing of it, `store-corrupt` where it is not whole,
 * `release-unsupported` where another version of Outrigger compiled it in a form that this one does not know
 */
export async function readRelease({ store, layout }: StoreAccess, digest: string): Promise<StoredRelease> {
  const path = layout.release(digest);
  const found = await store.objects.getObject(path);
  if (found === undefined) {
    const message = `Cannot find release ${digest}: nothing is kept of it; "outrigger releases" lists those that are`;
    throw new OutriggerError("release-unknown", message, { path });
  }
  const [packed = "", origin] = found.text.split("\n", 2);
  const release = releaseIn(packed, digest);
  if (release === undefined) {
    const message = `Cannot read release ${digest}: its object ${path} is not whole; publish again, or use another release`;
    throw new OutriggerError("store-corrupt", message, { path });
  }
  if (!isKnownFormat(release.format)) {
    const message = `Cannot use release ${digest}: another version of Outrigger compiled it, in format ${release.format} instead of ${RELEASE_FORMAT}; publish again, or deploy that version`;
    throw new OutriggerError("release-unsupported", message, { path });
  }
  return { release, origin: originIn(origin) };
}

function originIn(line = ""): ReleaseOrigin | undefined {
  return parseOrigin(objectOf(parseJson(line)));
}

function releaseIn(packed: string, digest: string): Release | undefined {
  const json = unlessOwnError(() => unpackText(packed, `release ${digest}`));
  const release = json === undefined ? undefined : releaseOfJson(json, digest);
  return release && oneRelease(release);
}

/** The release of that digest. A value that has it is what was compiled: nothing else of it needs checking. */
export function releaseOfJson(json: string, digest: string): Release | undefined {
  const value = parseJson(json);
  return isObject(value) && releaseDigest(value) === digest ? (value as JsonObject & Release) : undefined;
}

/**
 * The one object of equal releases, as long as this process remembers it: what is found out of a release is found out once, and what is
 * published now is what the next edit is compared with.
 */
export const oneRelease = memoizeJson((release: Release) => release, { longest: 4_000_000 });

/** An unreadable origin is treated as missing: only people use it. */
export function parseOrigin({ by, why, at, tree, shipped, sources }: JsonObject): ReleaseOrigin | undefined {
  if (typeof by !== "string" || typeof why !== "string" || typeof at !== "string" || typeof tree !== "string") return;
  const isList = Array.isArray(sources) && sources.every((source) => typeof source === "string");
  return { by, why, at, tree, ...(typeof shipped === "string" && { shipped }), ...(isList && { sources }) };
}

/**
 * Finds what is kept of a release. It is nothing for one that cannot be read, which says nothing about later edits.
 *
 * @param release where it is known already
 */
export async function findRelease(
  access: StoreAccess,
  digest: string,
  release?: Release,
): Promise<Partial<StoredRelease>> {
  try {
    return await readRelease(access, digest);
  } catch (error) {
    if (isOwnError(error, "store-unavailable", "store-denied")) throw error;
    ownError(error);
    return defined({ release });
  }
}

/**
 * What a channel serves, and how it was made; empty where it serves nothing yet, or nothing that can be read. What is served is asked
 * first: it is read already, and the store may have lost it.
 */
export async function findServed(
  channel: string,
  record: ChannelRecord | undefined,
  snapshot: Snapshot | undefined,
  access: StoreAccess,
): Promise<Partial<StoredRelease>> {
  const digest = record?.release ?? entryOf(snapshot?.channels ?? {}, channel);
  if (digest === undefined) return {};
  return findRelease(access, digest, entryOf(snapshot?.releases ?? {}, digest));
}

/**
 * Whether all of a release is kept.
 *
 * @throws OutriggerError where that cannot be read, or another version of Outrigger compiled it
 */
export async function isReleaseKept(access: StoreAccess, digest: string): Promise<boolean> {
  try {
    await readRelease(access, digest);
    return true;
  } catch (error) {
    ownError(error, "release-unknown", "store-corrupt");
    return false;
  }
}

/** The releases that are kept, each with how it came about where that is known, and when it was written. */
export async function listReleases(access: StoreAccess & Pick<PublisherDependencies, "store">) {
  const { store, layout } = access;
  const listed = await store.objects.listObjects(layout.releases);
  const releases: { digest: string; lastModified: number; origin: ReleaseOrigin | undefined }[] = [];
  // A few at once: there may be hundreds.
  for (let at = 0; at < listed.length; at += AT_ONCE) {
    const some = listed.slice(at, at + AT_ONCE).map(async ({ key, lastModified }) => {
      const text = (await store.objects.getObject(key))?.text ?? "";
      const digest = key.slice(layout.releases.length);
      return { digest, lastModified, origin: originIn(text.split("\n", 2)[1]) };
    });
    releases.push(...(await Promise.all(some)));
  }
  return releases;
}

const AT_ONCE = 10;

/**
 * Keeps a release. One that is there and whole is left as it is, and so is its origin: the release may be served, and this publication of
 * it may still be refused.
 *
 * @returns whether the origin was written
 */
export async function writeRelease(
  release: Release,
  digest: string,
  origin: ReleaseOrigin | undefined,
  dependencies: PublisherDependencies,
): Promise<boolean> {
  const { store, layout } = dependencies;
  const write = { key: layout.release(digest), text: textOf(release, digest, origin) };
  if (await store.objects.putObject({ ...write, replaces: null })) return true;
  if (await isReleaseKept(dependencies, digest)) return false;
  await store.objects.putObject(write);
  return true;
}

/** Records how a release that is kept was last published. */
export async function writeOrigin(
  release: Release,
  digest: string,
  origin: ReleaseOrigin,
  dependencies: PublisherDependencies,
): Promise<void> {
  const { store, layout } = dependencies;
  await store.objects.putObject({ key: layout.release(digest), text: textOf(release, digest, origin) });
}

function textOf(release: Release, digest: string, origin: ReleaseOrigin | undefined): string {
  const text = packText(JSON.stringify(release), `release ${digest}`);
  return origin === undefined ? text : `${text}\n${JSON.stringify(origin)}`;
}
