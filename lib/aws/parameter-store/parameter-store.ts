// The ports to Parameter Store and to the release bucket, which has what is too large for parameters, each whole as one object
// that is named by its digest: the few calls that are made, in our own words. Who answers them (AWS, a fake, a test) is passed
// in; what parameters and objects mean is not known here.
import { type JsonValue, OutriggerError, ownError } from "@outrigger/base";

/** What every call of Parameter Store and of the bucket takes. */
export interface CallOptions {
  /** Ends the call: it fails with `store-unavailable`. */
  readonly signal?: AbortSignal;
}

/** Where an object is. */
export interface ObjectPlace {
  readonly bucket: string;
  readonly key: string;
}

/** What serving takes. Every call, here and below, may throw what the calls of Parameter Store may throw. */
export interface ObjectReader {
  /** The object's text, or undefined where there is no such object. */
  getObject(place: ObjectPlace, options?: CallOptions): Promise<string | undefined>;
}

export interface ListedObject {
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly lastModified: number;
}

/** What publishing takes as well. */
export interface ObjectStore extends ObjectReader {
  /** Writes the object, whatever is there: under one digest, only the same text is ever written. */
  putObject(place: ObjectPlace, text: string, options?: CallOptions): Promise<void>;
  /** An object that does not exist is no error. */
  deleteObject(place: ObjectPlace, options?: CallOptions): Promise<void>;
  /** Everything below the place's key, which ends with a slash. */
  listObjects(place: ObjectPlace, options?: CallOptions): Promise<readonly ListedObject[]>;
}

/** One parameter as it is read. A SecureString comes encrypted: nothing here is secret, so none is ever asked for open. */
export interface Parameter {
  readonly name: string;
  readonly value: string;
  readonly type: "String" | "StringList" | "SecureString";
  /** Counts up with every write; restarts when the parameter is deleted and made again. */
  readonly version: number;
  /** Milliseconds since 1970, where the store says so. */
  readonly lastModified?: number;
}

/** The most names that one call takes: 10. */
export const MAX_NAMES = 10;

/**
 * What serving takes. Every call, here and below, may throw an OutriggerError: `store-unavailable` (throttled, unreachable,
 * a fault of the service, or given up by the signal: a second try may help) or `store-denied` (credentials or permissions:
 * it will not).
 */
export interface ParametersByName {
  /** Where what is too large for parameters is read; undefined where no bucket can be. */
  readonly objects?: ObjectReader;
  /** At most ten names, in any order; those that do not exist are left out. */
  getParameters(names: readonly string[], options?: CallOptions): Promise<readonly Parameter[]>;
}

type Page = { readonly parameters: readonly Parameter[]; readonly next: string | undefined };

/** What reading takes as well, for callers that do not know the names. */
export interface ParameterReader extends ParametersByName {
  /** One page of everything below a path, recursively, in no promised order. It may be empty and still have a next one. */
  getParametersByPath(path: string, next: string | undefined, options?: CallOptions): Promise<Page>;
}

/** What a parameter may hold, and what it costs: MAX_VALUE says how many bytes. */
export type Tier = "Standard" | "Advanced";

export interface ParameterWrite {
  readonly name: string;
  readonly value: string;
  /** False: `parameter-exists` is thrown where there is one already. */
  readonly overwrite: boolean;
  readonly tier: Tier;
}

/** What writing takes as well. Beyond the reader's errors, `parameter-refused` says that a value or name is not taken, and
 * `parameter-downgrade` that an advanced parameter cannot become a standard one. */
export interface ParameterStore extends ParameterReader {
  readonly objects?: ObjectStore;
  /** Writes a String and gives its version. */
  putParameter(write: ParameterWrite, options?: CallOptions): Promise<number>;
  /** At most ten names; those that do not exist are no error. */
  deleteParameters(names: readonly string[], options?: CallOptions): Promise<void>;
}

/** Reads every page below a path. A parameter that two pages hold, because it was written meanwhile, counts once. */
export async function readAll(
  store: ParameterReader,
  path: string,
  options?: CallOptions,
): Promise<readonly Parameter[]> {
  const byName = new Map<string, Parameter>();
  let next: string | undefined;
  do {
    const page = await store.getParametersByPath(path, next, options);
    for (const parameter of page.parameters) byName.set(parameter.name, parameter);
    next = page.next;
  } while (next !== undefined);
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Deletes parameters, ten a call, in the order of the names. Those that do not exist are no error. */
export async function deleteAll(store: ParameterStore, names: readonly string[]): Promise<void> {
  for (let at = 0; at < names.length; at += MAX_NAMES) await store.deleteParameters(names.slice(at, at + MAX_NAMES));
}

/**
 * Whether a write that overwrites nothing has made its parameter. Of writers that come at once exactly one has: it begins all that
 * only one may do, the next change of the log and the turn of an edit.
 *
 * @throws what the write throws, except `parameter-exists`
 */
export async function isCreated(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    ownError(error, "parameter-exists");
    return false;
  }
}

/**
 * Writes a parameter on the wanted tier; where Parameter Store refuses because it is an advanced one already, on that.
 *
 * @param put writes it, or throws as the port says
 */
export async function keepTier<Answer>(
  write: ParameterWrite,
  put: (write: ParameterWrite) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await put(write);
  } catch (error) {
    if (write.tier === "Advanced" || !write.overwrite) throw error;
    ownError(error, "parameter-downgrade");
    return put({ ...write, tier: "Advanced" });
  }
}

// The form of the small records in Parameter Store: JSON that a person can read in the console, and that never has
// two braces in a row, which Parameter Store refuses.

/**
 * The record as text. Braces in strings are escaped; those of the structure are on separate lines.
 *
 * @param value JSON as far as `JSON.stringify` is concerned
 * @example
 * ```ts
 * recordText({ why: "{{x}}" }).includes("{{") // => false
 * JSON.parse(recordText({ why: "{{x}}" })).why // => "{{x}}"
 * ```
 */
export function recordText(value: JsonValue | object): string {
  const text = JSON.stringify(value, null, 1);
  return text.replace(STRING, (string) => string.replaceAll("{", "\\u007b").replaceAll("}", "\\u007d"));
}

const STRING = /"(?:[^"\\]|\\.)*"/g;

/**
 * Reads a record.
 *
 * @throws OutriggerError `store-corrupt` with the parameter's name, for a type other than String and for what is no JSON
 */
export function readRecord({ name, type, value }: Parameter): JsonValue {
  if (type !== "String") throw corrupt(name, `it is a ${type}, and must be a String`);
  try {
    return JSON.parse(value) as JsonValue;
  } catch {
    throw corrupt(name, "it is not JSON");
  }
}

function corrupt(name: string, why: string): OutriggerError {
  const message = `Cannot read ${name}: ${why}; delete it and run the command that made it again`;
  return new OutriggerError("store-corrupt", message, { path: name });
}
