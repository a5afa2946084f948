// The port to Parameter Store: the few calls that are made, in our own words. Who answers them (AWS, a fake, a test) is passed in; what
// parameters mean is not known here.
import { ownError } from "@outrigger/base";
import type { ObjectReader, ObjectStore } from "../bucket/object-store.ts";
import type { CallOptions, OutsideCall } from "../outside-call.ts";

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
 * The calls that serving needs. Every call, here and below, may throw an OutriggerError: `store-unavailable`
 * (throttled, unreachable, a fault of the service, or given up by the signal: a second try may help) or `store-denied`
 * (credentials or permissions: it will not).
 */
export interface ParametersByName {
  /** The deployment's bucket. */
  readonly objects: ObjectReader;
  /** Reads at most ten parameters by name, in any order; those that do not exist are left out. */
  readonly getParameters: OutsideCall<readonly string[], readonly Parameter[]>;
}

/** A page of the parameters below a path. */
export interface PageRequest {
  readonly path: string;
  /** The page before's `next`; undefined for the first page. */
  readonly next?: string | undefined;
}

type Page = { readonly parameters: readonly Parameter[]; readonly next: string | undefined };

/** The calls that reading needs as well, for callers that do not know the names. */
export interface ParameterReader extends ParametersByName {
  /** Reads one page of everything below a path, recursively, in no promised order. It may be empty and still have a next one. */
  readonly getParametersByPath: OutsideCall<PageRequest, Page>;
}

/** The tier of a parameter decides how much it may hold, and what it costs: MAX_VALUE says how many bytes. */
export type Tier = "Standard" | "Advanced";

/** A parameter to write. */
export interface ParameterWrite {
  readonly name: string;
  readonly value: string;
  /** False: `parameter-exists` is thrown where there is one already. */
  readonly overwrite: boolean;
  readonly tier: Tier;
}

/**
 * The calls that writing needs as well. Beyond the reader's errors, `parameter-refused` says that a value or name is
 * not taken, and `parameter-downgrade` that an advanced parameter cannot become a standard one.
 */
export interface ParameterStore extends ParameterReader {
  readonly objects: ObjectStore;
  /** Writes a String and gives its version. */
  readonly putParameter: OutsideCall<ParameterWrite, number>;
  /** Deletes at most ten parameters by name; those that do not exist are no error. */
  readonly deleteParameters: OutsideCall<readonly string[], void>;
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
    const page = await store.getParametersByPath({ path, next }, options);
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
