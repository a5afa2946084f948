// `releases/<digest>/…`: the parts of a release, which never change, and its origin.
import {
  fitsParameter,
  isCreated,
  MAX_PARTS,
  type Packed,
  type Parameter,
  packParts,
  readRecord,
  recordText,
  unpackWhole,
} from "@outrigger/aws";
import {
  defined,
  isObject,
  isOwnError,
  type JsonObject,
  type JsonValue,
  OutriggerError,
  objectOf,
  ownError,
} from "@outrigger/base";
import { RELEASE_FORMAT, type Release } from "@outrigger/injector";
import { releaseDigest } from "@outrigger/serving";
import type { PublisherDependencies, StoreAccess } from "../dependencies.ts";
import type { DatedCause } from "../request/publisher-result.ts";

/** `releases/<digest>/origin`: how the release came about when it was last published. */
export interface ReleaseOrigin extends DatedCause {
  /** treeDigest of the source tree. */
  readonly tree: string;
  /** treeDigest of the shipped tree below it; earlier versions left it out. */
  readonly shipped?: string;
  /** The parameters that it was made from, as `templates/sidecar@7`; left out where there are too many to keep. */
  readonly sources?: readonly string[];
}

interface StoredRelease {
  readonly release: Release;
  readonly origin: ReleaseOrigin | undefined;
}

/**
 * Reads a release in one call, and checks that it is the one of that digest.
 *
 * @throws OutriggerError `release-unknown` where there is nothing of it, `store-corrupt` where it is not whole,
 * `release-unsupported` where another version of Outrigger compiled it in a form that this one does not know
 */
export async function readRelease(access: StoreAccess, digest: string): Promise<StoredRelease> {
  const { layout } = access;
  const { release, origin, isThere } = await readParameters(access, digest);
  const path = `${layout.releases}/${digest}`;
  if (!isThere) {
    const message = `Cannot find release ${digest}: nothing is kept of it; "outrigger releases" lists those that are`;
    throw new OutriggerError("release-unknown", message, { path });
  }
  if (release === undefined) {
    const message = `Cannot read release ${digest}: its parts below ${path}, or the object that they refer to, are not whole; publish again, or use another release`;
    throw new OutriggerError("store-corrupt", message, { path });
  }
  if (release.format !== RELEASE_FORMAT) {
    const message = `Cannot use release ${digest}: another version of Outrigger compiled it, in format ${release.format} instead of ${RELEASE_FORMAT}; publish again, or deploy that version`;
    throw new OutriggerError("release-unsupported", message, { path });
  }
  return { release, origin: parseOrigin(origin) };
}

/**
 * Finds what is kept of a release. It is nothing for one that cannot be read, which says nothing about later edits.
 *
 * @param release where it is read already: how it was made is read alone
 */
export async function findRelease(
  access: StoreAccess,
  digest: string,
  release?: Release,
): Promise<Partial<StoredRelease>> {
  try {
    if (release === undefined) return await readRelease(access, digest);
    const [origin] = await access.store.getParameters([access.layout.releaseOrigin(digest)]);
    return { release, origin: parseOrigin(origin) };
  } catch (error) {
    if (isOwnError(error, "store-unavailable", "store-denied")) throw error;
    ownError(error);
    return defined({ release });
  }
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

/**
 * Keeps a release. Parts that are there and whole are left as they are, and so is an origin: the release may be served,
 * and this publication of it may still be refused.
 *
 * @returns whether the origin was written
 */
export async function writeRelease(
  release: Release,
  digest: string,
  origin: ReleaseOrigin,
  dependencies: PublisherDependencies,
): Promise<boolean> {
  const there = await readParameters(dependencies, digest);
  // What is there and not whole is what a crash left: no channel names it yet.
  if (there.release === undefined) await writeParts(release, digest, dependencies);
  return there.origin === undefined && writeOrigin(digest, origin, dependencies, false);
}

/** Writes the release itself, over whatever is there of it, and nothing of its origin. */
export async function writeParts(release: Release, digest: string, dependencies: PublisherDependencies): Promise<void> {
  const { store, layout, tier, bucket, pack = packParts } = dependencies;
  const { parts, object, digest: whole } = pack(release, tier, `release ${digest}`, bucket);
  await putObject(object, whole, dependencies);
  for (const [index, value] of parts.entries()) {
    await store.putParameter({ name: layout.releasePart(digest, index), value, overwrite: true, tier });
  }
}

/**
 * Records how a release that is kept was last published.
 *
 * @returns whether it was written: without `overwrite`, another publisher may have written the same release meanwhile
 */
export function writeOrigin(
  digest: string,
  origin: ReleaseOrigin,
  { store, layout, tier }: PublisherDependencies,
  overwrite = true,
): Promise<boolean> {
  const text = recordText(origin);
  const { sources: _, ...short } = origin;
  const value = fitsParameter(text, tier) ? text : recordText(short);
  return isCreated(store.putParameter({ name: layout.releaseOrigin(digest), value, overwrite, tier }));
}

async function readParameters({ store, layout }: StoreAccess, digest: string) {
  const names = Array.from({ length: MAX_PARTS }, (_, index) => layout.releasePart(digest, index));
  const found = await store.getParameters([...names, layout.releaseOrigin(digest)]);
  const origin = found.find(({ name }) => name === layout.releaseOrigin(digest));
  const values = found.flatMap((each) => (each !== origin && each.type === "String" ? [each.value] : []));
  return { release: await unpackRelease(values, digest, { store, layout }), origin, isThere: found.length > 0 };
}

/** Parts of more than one writing may be there after a crash; one of them may be whole. */
async function unpackRelease(
  values: readonly string[],
  digest: string,
  { store: reader, layout }: StoreAccess,
): Promise<Release | undefined> {
  for (const tag of new Set(values.map((value) => value.slice(0, value.indexOf(" "))))) {
    try {
      const value = await unpackWhole(values, tag, `release ${digest}`, { reader, layout });
      if (isReleaseOf(value, digest)) return value;
    } catch (error) {
      // A bucket that cannot be read says nothing about what is in it.
      ownError(error, "store-corrupt");
    }
  }
  return undefined;
}

/** A value with the digest of a release is what was compiled: nothing else of it needs checking. */
function isReleaseOf(value: JsonValue | undefined, digest: string): value is JsonObject & Release {
  return isObject(value) && releaseDigest(value) === digest;
}

/** An unreadable origin is treated as missing: only people use it. */
export function parseOrigin(parameter: Parameter | undefined): ReleaseOrigin | undefined {
  try {
    const value = parameter === undefined ? undefined : readRecord(parameter);
    const { by, why, at, tree, shipped, sources } = objectOf(value);
    if (typeof by !== "string" || typeof why !== "string" || typeof at !== "string" || typeof tree !== "string") return;
    const isList = Array.isArray(sources) && sources.every((source) => typeof source === "string");
    return { by, why, at, tree, ...(typeof shipped === "string" && { shipped }), ...(isList && { sources }) };
  } catch {
    return undefined;
  }
}

/** Writes what is too large for parameters; nothing where it is not. */
export async function putObject(object: Packed["object"], digest: string, { store, layout }: PublisherDependencies) {
  if (object === undefined) return;
  const { bucket, text } = object;
  const key = layout.object(digest);
  if (store.objects !== undefined) return store.objects.putObject({ bucket, key, text });
  throw new OutriggerError("usage", `Cannot write s3://${bucket}/${key}: this publisher has no access to buckets`);
}
