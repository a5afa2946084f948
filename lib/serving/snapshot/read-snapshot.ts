// The reading of `serve/`: one call when all is well, two when the mirror is being written. Knows nothing of time:
// when to read, how long to wait and whether to try again is its caller's.
import {
  type CallOptions,
  type Layout,
  MAX_PARTS,
  type Parameter,
  type ParametersByName,
  parseReference,
  unpackWhole,
} from "@outrigger/aws";
import { defined, OutriggerError } from "@outrigger/base";
import { corrupt, type Head, parseHead, parseSnapshot, type Snapshot } from "./snapshot.ts";

/**
 * The result of reading. `same`: the store shows what was seen. `older`: the store shows an earlier commit than was
 * seen, which is ignored.
 */
export type Reading =
  | { readonly kind: "snapshot"; readonly head: Head; readonly snapshot: Snapshot }
  | { readonly kind: "same" }
  | { readonly kind: "older" };

/**
 * Reads the snapshot that the head names.
 *
 * | seen    | calls | names |
 * |---------|-------|-------|
 * | nothing | 1     | the head and the mirror |
 * | a head  | 1     | the head; where it has not changed, that is all |
 * | a head  | +1    | the head and the mirror, where it has changed |
 * | any     | +1    | `images/<digest>/*`, where the mirror is not of one piece with the head |
 * | any     | +1    | the object of the release bucket, where the snapshot is too large for parameters |
 *
 * @param seen the head of what its caller has
 * @throws OutriggerError what the reader throws; `release-unknown` where nothing was published yet; `store-corrupt`, `release-unsupported` or `cluster-invalid`, with the
 * parameter's name, where what is stored cannot be used
 */
export async function readSnapshot(
  reader: ParametersByName,
  layout: Layout,
  seen: Head | undefined,
  options: CallOptions = {},
): Promise<Reading> {
  if (seen !== undefined) {
    const parameters = await readByName(reader, [layout.head], options);
    const known = compare(headOf(parameters, layout), seen);
    if (known !== undefined) return known;
  }
  const mirrorNames = Array.from({ length: MAX_PARTS }, (_, index) => layout.mirrorPart(index));
  const parameters = await readByName(reader, [layout.head, ...mirrorNames], options);
  // Next to a head that was deleted, its mirror is left.
  if (parameters.size === 0) {
    const message = `Cannot serve anything yet: there is no ${layout.head}; publish first, with outrigger publish`;
    throw new OutriggerError("release-unknown", message, { path: layout.head });
  }
  const head = headOf(parameters, layout);
  const known = seen === undefined ? undefined : compare(head, seen);
  if (known !== undefined) return known;
  const place = `${layout.snapshots}/${head.digest}`;
  const whole = { reader, layout, ...options };
  const value =
    (await unpackMirror(parameters, head, mirrorNames, whole)) ?? (await unpackSnapshot(head, place, whole));
  return { kind: "snapshot", head, snapshot: parseSnapshot(value, head, place) };
}

function compare(head: Head, seen: Head): Reading | undefined {
  if (head.digest === seen.digest) return { kind: "same" };
  return head.seq < seen.seq ? { kind: "older" } : undefined;
}

type ByName = ReadonlyMap<string, Parameter>;

async function readByName(reader: ParametersByName, names: readonly string[], options: CallOptions): Promise<ByName> {
  return new Map((await reader.getParameters(names, options)).map((parameter) => [parameter.name, parameter]));
}

function headOf(parameters: ByName, { head: name }: Layout): Head {
  const parameter = parameters.get(name);
  if (parameter !== undefined) return parseHead(textOf(parameter), name);
  throw corrupt(name, "there is no such parameter");
}

/**
 * Unpacks the mirror. Returns undefined if it is of another commit, half written or damaged: the snapshot itself is
 * read then.
 */
async function unpackMirror(parameters: ByName, head: Head, names: readonly string[], whole: Whole) {
  const parts = names.flatMap((name) => parameters.get(name)?.value ?? []);
  try {
    return await unpackWhole(parts, head.digest, "the mirror", whole);
  } catch (error) {
    if (error instanceof OutriggerError && error.code === "store-corrupt") return undefined;
    // Of a bucket that does not answer, the same object would be asked for again.
    throw error;
  }
}

interface Whole extends CallOptions {
  readonly reader: ParametersByName;
  readonly layout: Layout;
}

async function unpackSnapshot(head: Head, place: string, whole: Whole) {
  const { reader, layout } = whole;
  const options = defined({ signal: whole.signal });
  const names = Array.from({ length: head.parts }, (_, index) => layout.snapshotPart(head.digest, index));
  const parameters = await readByName(reader, names, options);
  const parts = names.map((name) => {
    const parameter = parameters.get(name);
    if (parameter === undefined) throw corrupt(name, "there is no such parameter");
    return textOf(parameter);
  });
  const value = await unpackWhole(parts, head.digest, place, whole);
  if (value !== undefined) return value;
  if (parseReference(parts[0] ?? "")?.digest === head.digest)
    throw corrupt(`${place}/0`, "the object that it refers to does not exist");
  const strange = parts.findIndex((part, index) => !part.startsWith(`${head.digest} ${index}/${head.parts} `));
  const name = names[strange] ?? place;
  throw corrupt(name, "it is cut short, or not the part of the snapshot that its name says");
}

function textOf({ name, type, value }: Parameter): string {
  if (type !== "String") throw corrupt(name, `it is a ${type} and must be a String: delete it`);
  if (value === "") throw corrupt(name, "it is empty");
  return value;
}
