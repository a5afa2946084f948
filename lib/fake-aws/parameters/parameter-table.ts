// What Parameter Store keeps and how a write changes it: a table goes in, another comes out. Knows no clock, no
// chance and no protocol.
import type { Parameter, Tier } from "@outrigger/aws";
import { defined } from "@outrigger/base";
import {
  checkName,
  checkSize,
  checkValue,
  isLabel,
  ServiceError,
  tierFor,
  validationError,
} from "./parameter-rules.ts";

export interface StoredVersion {
  readonly version: number;
  readonly value: string;
  readonly type: Parameter["type"];
  readonly tier: Tier;
  readonly labels: readonly string[];
  /** Milliseconds since 1970. */
  readonly modified: number;
  readonly user: string;
  readonly description?: string;
}

/** Name → versions, the oldest first; never none. */
export type ParameterTable = ReadonlyMap<string, readonly StoredVersion[]>;

export interface PutInput {
  readonly name: string;
  readonly value: string;
  readonly type?: Parameter["type"];
  readonly overwrite: boolean;
  readonly tier?: Tier | "Intelligent-Tiering";
  readonly description?: string;
}

export interface WriteContext {
  readonly now: number;
  readonly user: string;
  /** Standard parameters in an account and Region: 10,000. */
  readonly maxStandard: number;
}

export const EMPTY_TABLE: ParameterTable = new Map();

const MAX_VERSIONS = 100;
const MAX_LABELS = 10;

/** Writes a value: a new parameter, or the next version of one. */
export function putParameter(table: ParameterTable, input: PutInput, context: WriteContext) {
  const { name, value, overwrite } = input;
  checkName(name);
  const before = table.get(name) ?? [];
  const latest = before.at(-1);
  if (latest !== undefined && !overwrite) throw new ServiceError("ParameterAlreadyExists", EXISTS);
  const type = typeOf(input, latest);
  checkValue(value, type);
  const tier = nextTier(input, latest);
  checkSize(value, tier);
  if (latest?.tier !== "Standard" && tier === "Standard") checkCapacity(table, context);
  const { now: modified, user } = context;
  const version = (latest?.version ?? 0) + 1;
  const description = input.description ?? latest?.description;
  const written: StoredVersion = defined({ version, value, type, tier, labels: [], modified, user, description });
  return { table: new Map(table).set(name, [...withoutOldest(name, before), written]), written };
}

/** Deletes parameters with all their versions; returns the ones that existed. */
export function deleteParameters(table: ParameterTable, names: readonly string[]) {
  const deleted = names.filter((name) => table.has(name));
  const left = new Map(table);
  for (const name of deleted) left.delete(name);
  return { table: left, deleted };
}

/** Puts labels on a version, the latest where none is named, and takes them from the one that had them. */
export function labelVersion(
  table: ParameterTable,
  name: string,
  version: number | undefined,
  labels: readonly string[],
) {
  const { versions, target } = versionOf(table, name, version);
  const valid = labels.filter(isLabel);
  const after = [...new Set([...target.labels, ...valid])];
  if (after.length > MAX_LABELS) {
    const message = `A parameter version can have a maximum of ${MAX_LABELS} labels. Move one or more labels to another version and try again.`;
    throw new ServiceError("ParameterVersionLabelLimitExceeded", message);
  }
  const moved = versions.map((candidate) => {
    const left = candidate === target ? after : candidate.labels.filter((label) => !valid.includes(label));
    return { ...candidate, labels: left };
  });
  const invalid = labels.filter((label) => !isLabel(label));
  return { table: new Map(table).set(name, moved), version: target.version, invalid };
}

/** Takes labels off a version; those that it does not have are invalid. */
export function unlabelVersion(table: ParameterTable, name: string, version: number, labels: readonly string[]) {
  const { versions, target } = versionOf(table, name, version);
  const removed = labels.filter((label) => target.labels.includes(label));
  const invalid = labels.filter((label) => !removed.includes(label));
  const left = target.labels.filter((label) => !labels.includes(label));
  const after = versions.map((candidate) => (candidate === target ? { ...target, labels: left } : candidate));
  return { table: new Map(table).set(name, after), removed, invalid };
}

/** A version, the latest where none is named, among the others. */
function versionOf(table: ParameterTable, name: string, version: number | undefined) {
  const versions = table.get(name);
  if (versions === undefined) throw new ServiceError("ParameterNotFound", `Parameter ${name} not found.`);
  const target = version === undefined ? versions.at(-1) : versions.find((candidate) => candidate.version === version);
  if (target === undefined) throw versionNotFound(name, String(version));
  return { versions, target };
}

export interface DeletedParameter {
  readonly versions: readonly StoredVersion[];
  readonly at: number;
}

/**
 * The table as a reading finds it that is behind: old values.
 *
 * @param hides whether a parameter is missing that was created since; otherwise it shows its first value
 */
export function tableBehind(
  table: ParameterTable,
  deleted: ReadonlyMap<string, DeletedParameter>,
  time: number,
  hides = false,
): ParameterTable {
  const still = [...deleted].filter(([name, { at }]) => at > time && !table.has(name));
  const seen = new Map(still.map(([name, { versions }]) => [name, versions]));
  for (const [name, versions] of table) {
    const old = versions.filter(({ modified }, index) => (index === 0 && !hides) || modified <= time);
    if (old.length > 0) seen.set(name, old);
  }
  return seen;
}

export function versionNotFound(name: string, selector: string): ServiceError {
  const message = `Systems Manager could not find version ${selector} of ${name}. Verify the version and try again.`;
  return new ServiceError("ParameterVersionNotFound", message);
}

const EXISTS =
  "The parameter already exists. To overwrite this value, set the overwrite option in the request to true.";

function typeOf({ type }: PutInput, latest: StoredVersion | undefined): Parameter["type"] {
  if (latest === undefined) {
    if (type === undefined) throw validationError("A parameter type is required when you create a parameter.");
    return type;
  }
  if (type === undefined || type === latest.type) return latest.type;
  throw new ServiceError(
    "HierarchyTypeMismatchException",
    "Parameter Store does not support changing a parameter type in a hierarchy. For example, you can't change a parameter from a String type to a SecureString type. You must create a new, unique parameter.",
  );
}

function nextTier({ tier, value }: PutInput, latest: StoredVersion | undefined): Tier {
  const current = latest?.tier ?? "Standard";
  if (tier === undefined) return current;
  if (tier === "Intelligent-Tiering") return current === "Advanced" ? current : tierFor(value);
  if (tier === "Standard" && current === "Advanced") {
    throw validationError(
      "This parameter uses the advanced-parameter tier. You can't downgrade a parameter from the advanced-parameter tier to the standard-parameter tier. If necessary, you can delete the advanced parameter and recreate it as a standard parameter. Be aware that standard parameters have a value limit of 4096 characters.",
    );
  }
  return tier;
}

function checkCapacity(table: ParameterTable, { maxStandard }: WriteContext): void {
  let standard = 0;
  for (const versions of table.values()) if (versions.at(-1)?.tier === "Standard") standard++;
  if (standard < maxStandard) return;
  throw new ServiceError(
    "ParameterLimitExceeded",
    "You have exceeded the number of parameters for this Amazon Web Services account. Delete one or more parameters and try again.",
  );
}

/** A hundred versions are kept: the oldest is dropped, unless it has a label. */
function withoutOldest(name: string, versions: readonly StoredVersion[]): readonly StoredVersion[] {
  const [oldest] = versions;
  if (versions.length < MAX_VERSIONS || oldest === undefined) return versions;
  if (oldest.labels.length === 0) return versions.slice(1);
  const message = `You attempted to create a new version of ${name} by calling the PutParameter API with the overwrite flag. Version ${oldest.version}, the oldest version, can't be deleted because it has a label associated with it. Move the label to another version of the parameter, and try again.`;
  throw new ServiceError("ParameterMaxVersionLimitExceeded", message);
}
