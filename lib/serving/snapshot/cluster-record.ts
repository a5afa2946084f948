// What is known of a registered cluster: which channel each of its revisions is served from, and who may call for it.
import { createHash } from "node:crypto";
import { type Parameter, readRecord } from "@outrigger/aws";
import {
  channelNamePattern,
  defined,
  isObject,
  type JsonObject,
  type JsonValue,
  kubernetesVersionPattern,
  OutriggerError,
  objectOf,
} from "@outrigger/base";

/** A live token, by its digest only. */
export type TokenRecord = {
  /** The SHA-256 of the token's text: 64 lower-case hexadecimal digits. */
  readonly sha256: string;
  /** The time of the token's registration: ISO 8601 in UTC. */
  readonly created: string;
};

/** The record of a registered cluster, stored as `clusters/<name>`. */
export interface ClusterRecord {
  /** The channel of each revision. `default` is the revision of a URL that names none. */
  readonly revisions: Readonly<Record<string, string>>;
  /** The cluster's ARN for people: `arn:aws:eks:…` or empty. */
  readonly arn: string;
  readonly network?: string;
  /** The version, such as `1.33`. It decides about native sidecars if `nativeSidecars` does not. */
  readonly kubernetesVersion?: string;
  readonly nativeSidecars?: boolean;
  /** The live tokens: one, or two while one follows the other. The place in the list is the token's slot: 1 or 2. */
  readonly tokens: readonly TokenRecord[];
  /**
   * The settings that each revision's webhooks were registered with, for a cluster that has lost them. They are not
   * part of a snapshot.
   */
  readonly settings?: Readonly<Record<string, JsonObject>>;
  /** The lease of a command that changes the cluster. It is not part of a snapshot. */
  readonly lease?: Lease;
}

/** A lease on a cluster: who is changing it, and until when nobody else may. */
export interface Lease {
  readonly id: string;
  readonly by: string;
  /** The end of the lease: ISO 8601 in UTC. */
  readonly until: string;
}

/** The most live tokens of a cluster: while one follows another, both work. */
export const MAX_TOKENS = 2;

/** The field of a stored record that says which change wrote it: the publisher's business alone. */
const CHANGE = "change";

const keys = "revisions arn network kubernetesVersion nativeSidecars tokens settings lease".split(" ");

/**
 * The record that a parameter holds.
 *
 * @throws OutriggerError `store-corrupt` for what is no JSON, `cluster-invalid` for what is no record
 */
export function readClusterRecord(parameter: Parameter): ClusterRecord {
  return parseClusterRecord(readRecord(parameter), parameter.name);
}

/** Reads a record. Throws `cluster-invalid` with `place` and the field that is wrong. */
export function parseClusterRecord(value: JsonValue, place: string): ClusterRecord {
  const { settings, lease } = objectOf(value);
  const served = parseServedRecord(value, place);
  return { ...served, ...defined({ settings: parseSettings(settings, place), lease: parseLease(lease, place) }) };
}

/** Reads of a record what serving takes, which is all that a snapshot has of it. Throws as parseClusterRecord() does. */
export function parseServedRecord(value: JsonValue, place: string): ClusterRecord {
  if (!isObject(value)) throw invalid(place, "", "it must be a mapping");
  const unknown = Object.keys(value).find((key) => !keys.includes(key) && key !== CHANGE);
  if (unknown !== undefined) throw invalid(place, unknown, `it is not known; use ${keys.join(", ")}`);
  const { revisions, tokens } = value;
  const optional = <Value>(key: string, is: (given: unknown) => given is Value, form: string) => {
    const given = value[key];
    if (given === undefined || is(given)) return given;
    throw invalid(place, key, `it must be ${form}`);
  };
  return {
    revisions: parseRevisions(revisions, place),
    arn: optional("arn", isText, "a string") ?? "",
    ...defined({
      network: optional("network", isText, "a string"),
      kubernetesVersion: optional("kubernetesVersion", isVersion, 'a version such as "1.33"'),
      nativeSidecars: optional("nativeSidecars", (given) => typeof given === "boolean", "true or false"),
    }),
    tokens: parseTokens(tokens, place),
  };
}

/**
 * Returns the digest of a record without its lease: 64 hexadecimal digits. Two records that mean the same have the same
 * digest, in whatever order their fields were written. The digest of no record is `none`.
 */
export function recordDigest(of: ClusterRecord | undefined): string {
  if (of === undefined) return "none";
  const { lease: _, ...record } = of;
  return createHash("sha256").update(JSON.stringify(record, inOrder)).digest("hex");
}

function inOrder(_key: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Checks that settings map revisions to objects. The contents are for the commands that register. */
function parseSettings(value: JsonValue | undefined, place: string): ClusterRecord["settings"] {
  if (value === undefined) return undefined;
  const entries = isObject(value) ? Object.entries(value) : [];
  const kept = entries.filter((entry): entry is [string, JsonObject] => isObject(entry[1]));
  if (!isObject(value) || kept.length < entries.length) {
    throw invalid(place, "settings", "it must map revisions to settings");
  }
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function parseLease(value: JsonValue | undefined, place: string): Lease | undefined {
  if (value === undefined) return undefined;
  const { id, by, until } = objectOf(value);
  if (isText(id) && isText(by) && isText(until) && !Number.isNaN(Date.parse(until))) return { id, by, until };
  throw invalid(place, "lease", "it must have id, by and until");
}

function parseRevisions(value: JsonValue | undefined, place: string): Readonly<Record<string, string>> {
  const entries = isObject(value) ? Object.entries(value) : [];
  const isFine = ([revision, channel]: readonly [string, unknown]) =>
    channelNamePattern.test(revision) && typeof channel === "string" && channelNamePattern.test(channel);
  if (entries.length > 0 && entries.every(isFine)) return Object.fromEntries(entries) as Record<string, string>;
  throw invalid(place, "revisions", "it must map at least one revision to a channel, in lower-case letters and digits");
}

function parseTokens(value: JsonValue | undefined, place: string): readonly TokenRecord[] {
  if (!Array.isArray(value) || value.length > MAX_TOKENS) {
    throw invalid(place, "tokens", `it must be a list of at most ${MAX_TOKENS}`);
  }
  return value.map((token: JsonValue, index) => {
    const { sha256, created } = objectOf(token);
    if (typeof sha256 !== "string" || !/^[0-9a-f]{64}$/.test(sha256)) {
      throw invalid(place, `tokens[${index}].sha256`, "it must be 64 lower-case hexadecimal digits");
    }
    if (typeof created !== "string") throw invalid(place, `tokens[${index}].created`, "it must be a time");
    return { sha256, created };
  });
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isVersion(value: unknown): value is string {
  return isText(value) && kubernetesVersionPattern.test(value);
}

function invalid(place: string, key: string, remedy: string): OutriggerError {
  const what = key === "" ? place : `${JSON.stringify(key)} of ${place}`;
  const message = `Cannot use ${what}: ${remedy}; register the cluster again`;
  return new OutriggerError("cluster-invalid", message, { path: place });
}
