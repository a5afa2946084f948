// The reading of what is served: of Parameter Store, whose mirror is one call when all is well, and of the bucket where that fails or is late.
// Knows nothing of time: when to read, how long to wait and whether to try again is its caller's.
import {
  type CallOptions,
  type Layout,
  MAX_PARTS,
  type Parameter,
  type ParametersByName,
  unpackParts,
  unpackText,
} from "@outrigger/aws";
import { isOwnError, OutriggerError, unlessOwnError } from "@outrigger/base";
import { corrupt, type Head, parseHead, parseSnapshot, type Snapshot } from "./snapshot.ts";

/**
 * The result of reading. `same`: the store shows what was seen. `older`: the store shows an earlier commit than was
 * seen, which is ignored.
 */
export type Reading<Opened = Snapshot> = (
  | { readonly kind: "snapshot"; readonly head: Head; readonly snapshot: Opened }
  | { readonly kind: "same" }
  | { readonly kind: "older" }
) & {
  /** The reason for which it was read from the bucket; left out where Parameter Store was read, or was only late. */
  readonly instead?: unknown;
};

interface ReadingOptions<Opened> extends CallOptions {
  /** Checks a snapshot and opens it. */
  readonly open: (text: string, head: Head, place: string) => Opened;
  /** Resolves when Parameter Store has had its time: the bucket is then read next to it, and whichever answers first is taken. */
  readonly late?: Promise<unknown>;
}

/** Reads the snapshot that is served, all of it, as readOpened() does. */
export function readSnapshot(reader: ParametersByName, layout: Layout, seen: Head | undefined): Promise<Reading> {
  return readOpened(reader, layout, seen, { open: parseSnapshot });
}

/**
 * Reads the snapshot that is served.
 *
 * | Parameter Store                                     | calls                                                        |
 * |-----------------------------------------------------|--------------------------------------------------------------|
 * | has the head and the mirror                         | 1; where a head was seen, 1 for the head and 1 if it is another |
 * | has the head, and no mirror of it (yet)             | +1, for the head's object                                    |
 * | throttles, denies, is late, or holds what is damaged | +2, for the bucket's head and its object                     |
 *
 * @param seen the head of what its caller has
 * @throws OutriggerError what Parameter Store was not read for, where the bucket cannot be read either; `release-unknown` where neither has
 * a head: nothing was published yet
 */
export async function readOpened<Opened>(
  reader: ParametersByName,
  layout: Layout,
  seen: Head | undefined,
  { late, ...options }: ReadingOptions<Opened>,
): Promise<Reading<Opened>> {
  const fromParameters = readParameters(reader, layout, seen, options);
  let instead: unknown;
  const isRead = fromParameters.then(
    () => true,
    (error: unknown) => {
      instead = error;
      return false;
    },
  );
  if (await Promise.race([isRead, ...(late === undefined ? [] : [late.then(() => false)])])) return fromParameters;
  const fromBucket = readBucket(reader, layout, seen, options);
  try {
    const reading = await Promise.any([fromParameters, fromBucket]);
    if (instead === undefined) return reading;
    return { ...reading, instead: isOwnError(instead, "release-unknown") ? missing(layout) : instead };
  } catch (error) {
    const [first, second] = (error as AggregateError).errors;
    // Only where both have nothing was nothing ever published.
    throw isOwnError(first, "release-unknown") && !isOwnError(second, "release-unknown") ? second : first;
  }
}

async function readParameters<Opened>(
  reader: ParametersByName,
  layout: Layout,
  seen: Head | undefined,
  options: ReadingOptions<Opened>,
): Promise<Reading<Opened>> {
  if (seen !== undefined) {
    const known = compare(headIn(await readByName(reader, [layout.head], options), layout), seen);
    if (known !== undefined) return known;
  }
  const mirrorNames = Array.from({ length: MAX_PARTS }, (_, index) => layout.mirrorPart(index));
  const parameters = await readByName(reader, [layout.head, ...mirrorNames], options);
  // Next to a head that was deleted, its mirror is left.
  if (parameters.size === 0) throw unpublished(layout);
  const head = headIn(parameters, layout);
  const parts = mirrorNames.flatMap((name) => parameters.get(name)?.value ?? []);
  return compare(head, seen) ?? readingOf(head, parts, reader, layout, options);
}

async function readBucket<Opened>(
  reader: ParametersByName,
  layout: Layout,
  seen: Head | undefined,
  options: ReadingOptions<Opened>,
): Promise<Reading<Opened>> {
  const found = await reader.objects.getObject(layout.bucketHead, options);
  if (found === undefined) throw unpublished(layout);
  const head = parseHead(found.text, layout.bucketHead);
  return compare(head, seen) ?? readingOf(head, [], reader, layout, options);
}

function unpublished({ head }: Layout): OutriggerError {
  const message = `Cannot serve anything yet: there is no ${head}; publish first, with outrigger publish`;
  return new OutriggerError("release-unknown", message, { path: head });
}

function compare(head: Head, seen: Head | undefined): Reading<never> | undefined {
  if (head.digest === seen?.digest) return { kind: "same" };
  return seen !== undefined && head.seq < seen.seq ? { kind: "older" } : undefined;
}

/** @param parts of the mirror, in which the snapshot is looked for before its object is read */
async function readingOf<Opened>(
  head: Head,
  parts: readonly string[],
  { objects }: ParametersByName,
  layout: Layout,
  { open, ...options }: ReadingOptions<Opened>,
): Promise<Reading<Opened>> {
  const key = layout.snapshot(head.digest);
  // The mirror may be of another commit, half written, damaged, or too small for the snapshot.
  const mirrored = unlessOwnError(() => unpackParts(parts, head.digest, "the mirror"));
  const text = mirrored ?? (await readObject(key, head, objects, options));
  return { kind: "snapshot", head, snapshot: open(text, head, key) };
}

type ByName = ReadonlyMap<string, Parameter>;

async function readByName(reader: ParametersByName, names: readonly string[], options: CallOptions): Promise<ByName> {
  return new Map((await reader.getParameters(names, options)).map((parameter) => [parameter.name, parameter]));
}

function missing({ head }: Layout): OutriggerError {
  return corrupt(head, "there is no such parameter");
}

function headIn(parameters: ByName, layout: Layout): Head {
  const { head: name } = layout;
  const parameter = parameters.get(name);
  if (parameter === undefined) throw missing(layout);
  const { type, value } = parameter;
  if (type !== "String") throw corrupt(name, `it is a ${type} and must be a String: delete it`);
  if (value === "") throw corrupt(name, "it is empty");
  return parseHead(value, name);
}

async function readObject(key: string, { digest }: Head, objects: ParametersByName["objects"], options: CallOptions) {
  const found = await objects.getObject(key, options);
  if (found === undefined) throw corrupt(key, "there is no such object in the deployment's bucket");
  return unpackText(found.text, key, digest);
}
