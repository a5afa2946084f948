// Reading what is served: the head, the snapshot that it names, and its two writings.
import { MAX_PARTS, type Parameter, readRecord, unpackParts, unpackText } from "@outrigger/aws";
import { type JsonObject, OutriggerError, ownError, readUntil, unlessOwnError } from "@outrigger/base";
import { type Head, parseHead, parseSnapshot, type Snapshot } from "@outrigger/serving";
import { type PublisherDependencies, patienceOf, type StoreAccess } from "../dependencies.ts";

export interface Served {
  readonly head: Head | undefined;
  /** The version of the head's parameter; 0 where there is none, or one of another type, which cannot be overwritten. */
  readonly headVersion: number;
  /** Whether the writer of the head had seen the one before it. If not, readers may have seen a later commit than it names. */
  readonly isInOrder: boolean;
  /** The time of the last collection of garbage, in milliseconds since 1970; 0 where that is unknown. */
  readonly collected: number;
  /** What the head names; without a head, what the bucket's head names. Undefined where nothing whole is served. */
  readonly snapshot: Snapshot | undefined;
  /** The snapshot as its object has it, or the mirror where that is missing or damaged. */
  readonly text: string | undefined;
  readonly isKept: boolean;
  readonly isMirrored: boolean;
  /** The version of each parameter of the mirror; 0 where there is none. */
  readonly mirrorVersions: readonly number[];
  /** The bucket's head, and the tag by which it may be replaced: null where there is none. */
  readonly bucketHead: { readonly head: Head | undefined; readonly tag: string | null };
}

/**
 * Reads `serve/`, the bucket's head, and the snapshot that they name.
 *
 * @throws OutriggerError `release-unsupported` where a newer version of Outrigger wrote it
 */
export async function readServed(access: StoreAccess): Promise<Served> {
  const { store, layout } = access;
  const mirrorNames = Array.from({ length: MAX_PARTS }, (_, index) => layout.mirrorPart(index));
  const parameters = await store.getParameters([layout.head, ...mirrorNames]);
  const inBucket = await store.objects.getObject(layout.bucketHead);
  const byName = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  const headParameter = byName.get(layout.head);
  const headVersion = headParameter?.type === "String" ? headParameter.version : 0;
  const head = headOf(headParameter);
  const mirrorVersions = mirrorNames.map((name) => byName.get(name)?.version ?? 0);
  const bucketHead = {
    head: inBucket && unlessOwnError(() => parseHead(inBucket.text, layout.bucketHead)),
    tag: inBucket?.tag ?? null,
  };
  // A head that is lost is found in the bucket.
  const named = head ?? bucketHead.head;
  const digest = named?.digest ?? "";
  const object = named && (await store.objects.getObject(layout.snapshot(digest)))?.text;
  const parts = partsIn(byName, mirrorNames.slice(0, named?.parts ?? 0));
  const mirrored = parts.map((part) => part.slice(part.lastIndexOf(" ") + 1)).join("");
  const fromObject = object === undefined ? undefined : unlessOwnError(() => unpackText(object, "snapshot", digest));
  const fromMirror =
    fromObject !== undefined && mirrored === object
      ? fromObject
      : unlessOwnError(() => unpackParts(parts, digest, "snapshot"));
  const json = fromObject ?? fromMirror;
  return {
    head,
    headVersion,
    mirrorVersions,
    bucketHead,
    isInOrder: head !== undefined && head.version === headVersion,
    collected: typeof head?.collected === "number" ? head.collected : 0,
    snapshot: json === undefined || named === undefined ? undefined : snapshotOf(json, named, layout.head),
    text: fromObject !== undefined ? object : fromMirror === undefined ? undefined : mirrored,
    isKept: fromObject !== undefined,
    isMirrored: fromMirror !== undefined || isReference(parts, digest),
  };
}

/**
 * Reads what is served until it is whole: where its object is lost, the mirror may be visible later than the head that names it.
 *
 * @param read what was read just now, if it was
 */
export async function readServedWhole(access: WaitingAccess, read?: Served): Promise<Served> {
  const served = read ?? (await readServed(access));
  if (served.head === undefined || served.snapshot !== undefined) return served;
  const isWhole = ({ head, snapshot }: Served) => head === undefined || snapshot !== undefined;
  // The number of a commit is its time.
  return readUntil(() => readServed(access), isWhole, patienceOf(access, served.head.seq));
}

type WaitingAccess = StoreAccess & Pick<PublisherDependencies, "now" | "sleep">;

/** Whether the one part says where the snapshot is: it is too large for the mirror. */
function isReference([part = "", ...others]: readonly string[], digest: string): boolean {
  return others.length === 0 && part.startsWith(`${digest} s3:`);
}

/** A head that cannot be read is written again by the next commit, whose number is higher than any before. */
export function headOf(parameter: Parameter | undefined) {
  if (parameter?.type !== "String") return undefined;
  return unlessOwnError(() => {
    const head = parseHead(parameter.value, parameter.name);
    const { version, collected } = readRecord(parameter) as JsonObject;
    return { ...head, version, collected };
  });
}

/** Returns the values of parts in the order of their names; parts that do not exist are left out. */
function partsIn(parameters: ReadonlyMap<string, Parameter>, names: readonly string[]): readonly string[] {
  const found = names.map((name) => parameters.get(name));
  return found.flatMap((parameter) => (parameter?.type === "String" ? [parameter.value] : []));
}

function snapshotOf(text: string, head: Head, place: string): Snapshot | undefined {
  try {
    return parseSnapshot(text, head, place);
  } catch (error) {
    if (ownError(error).code !== "release-unsupported") return undefined;
    const message = `Cannot commit: a newer version of Outrigger wrote what ${place} names; deploy that version again, or delete ${place} and publish with this one`;
    throw new OutriggerError("release-unsupported", message, { path: place, cause: error });
  }
}
