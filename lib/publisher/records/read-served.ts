// Reading what is served: the head, the snapshot that it names, and its two writings.
import { MAX_PARTS, type Parameter, readRecord, unpackWhole } from "@outrigger/aws";
import { type JsonObject, type JsonValue, OutriggerError, ownError } from "@outrigger/base";
import { type Head, parseHead, parseSnapshot, type Snapshot } from "@outrigger/serving";
import type { StoreAccess } from "../dependencies.ts";

export interface Served {
  readonly head: Head | undefined;
  /** The version of the head's parameter; 0 where there is none, or one of another type, which cannot be overwritten. */
  readonly headVersion: number;
  /** Whether the writer of the head had seen the one before it. If not, readers may have seen a later commit than it names. */
  readonly isInOrder: boolean;
  /** The time of the last collection of garbage, in milliseconds since 1970; 0 where that is unknown. */
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

/**
 * Reads `serve/` and the snapshot that it names.
 *
 * @throws OutriggerError `release-unsupported` where a newer version of Outrigger wrote it
 */
export async function readServed(access: StoreAccess): Promise<Served> {
  const { store, layout } = access;
  const mirrorNames = Array.from({ length: MAX_PARTS }, (_, index) => layout.mirrorPart(index));
  const parameters = await store.getParameters([layout.head, ...mirrorNames]);
  const byName = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  const headParameter = byName.get(layout.head);
  const headVersion = headParameter?.type === "String" ? headParameter.version : 0;
  const head = headOf(headParameter);
  const mirrorVersions = mirrorNames.map((name) => byName.get(name)?.version ?? 0);
  if (head === undefined) {
    const nothing = { snapshot: undefined, kept: undefined, mirrored: undefined };
    return { head, headVersion, collected: 0, isInOrder: false, mirrorVersions, ...nothing };
  }
  const names = Array.from({ length: head.parts }, (_, index) => layout.snapshotPart(head.digest, index));
  const kept = new Map((await store.getParameters(names)).map((parameter) => [parameter.name, parameter]));
  const snapshot = await wholeOf(partsOf(kept, names), head, access);
  const mirror = partsOf(byName, mirrorNames.slice(0, head.parts));
  const isSame = snapshot?.parts.every((part, index) => part === mirror[index]);
  const mirrored = isSame ? snapshot : await wholeOf(mirror, head, access);
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

/** A head that cannot be read is written again by the next commit, whose number is higher than any before. */
export function headOf(parameter: Parameter | undefined) {
  if (parameter?.type !== "String") return undefined;
  try {
    const head = parseHead(parameter.value, parameter.name);
    const { version, collected } = readRecord(parameter) as JsonObject;
    return { ...head, version, collected };
  } catch (error) {
    ownError(error);
    return undefined;
  }
}

/** Returns the values of parts in the order of their names; parts that do not exist are left out. */
function partsOf(parameters: ReadonlyMap<string, Parameter>, names: readonly string[]): readonly string[] {
  const found = names.map((name) => parameters.get(name));
  return found.flatMap((parameter) => (parameter?.type === "String" ? [parameter.value] : []));
}

async function wholeOf(parts: readonly string[], head: Head, { store: reader, layout }: StoreAccess) {
  if (parts.length !== head.parts) return undefined;
  try {
    const value = await unpackWhole(parts, head.digest, "snapshot", { reader, layout });
    return value === undefined ? undefined : { parts, value };
  } catch (error) {
    // A bucket that cannot be read is no reason to derive everything again.
    ownError(error, "store-corrupt");
    return undefined;
  }
}

function snapshotOf(value: JsonValue, head: Head, place: string): Snapshot | undefined {
  try {
    return parseSnapshot(value, head, place);
  } catch (error) {
    if (ownError(error).code !== "release-unsupported") return undefined;
    const message = `Cannot commit: a newer version of Outrigger wrote what ${place} names; deploy that version again, or delete ${place} and publish with this one`;
    throw new OutriggerError("release-unsupported", message, { path: place, cause: error });
  }
}
