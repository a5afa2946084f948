// Owns decoding requests to the publisher: any principal that may invoke the function may send anything.

import { OutriggerError } from "../errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../json.ts";
import { channelNamePattern, clusterNamePattern, NETWORK_FORM, networkPattern } from "../names.ts";
import { parseClusterRecord } from "../serve/cluster-record.ts";
import { isShare, releasePattern } from "./channel-record.ts";
import { LONGEST_LEASE } from "./cluster-guard.ts";
import type { PublisherRequest } from "./publisher-request.ts";
import { isRolloutPlan, MAX_ALARMS } from "./rollout.ts";

/** Keys of each action, besides `action`, `cause`, `id`, `dryRun` and `prefix`; those with a question mark may be left out. */
const KEYS: Readonly<Record<PublisherRequest["action"], readonly string[]>> = {
  publish: ["channel?", "tree?", "automatic?", "serving?", "unpin?", "prepare?", "release?"],
  promote: ["from", "to", "release?", "serving?", "unpin?", "share?", "rollout?", "approve?"],
  "step-rollout": ["channel", "direction", "seen?"],
  "set-channel": ["channel", "approval"],
  rollback: ["channel", "release?", "serving?"],
  pin: ["channel", "release?", "serving?"],
  unpin: ["channel", "serving?"],
  "remove-channel": ["channel", "serving?"],
  "put-cluster": ["cluster", "record", "lease?", "expect?"],
  "remove-cluster": ["cluster", "lease?", "expect?"],
  "add-token": ["cluster", "sha256", "lease?", "expect?"],
  "retire-token": ["cluster", "sha256", "lease?", "expect?"],
  repair: [],
  replicate: ["force?", "copy?", "until?"],
};

type Check = (value: JsonValue | undefined) => boolean;

const channel: Check = matching(channelNamePattern);

const requestId: Check = matching(/^[A-Za-z0-9-]{8,64}$/);

/** What a value under a key must be, and how that is said. */
const CHECKS: Readonly<Record<string, readonly [Check, string]>> = {
  channel: [channel, "a name of lower-case letters, digits and dashes"],
  from: [channel, "a name of lower-case letters, digits and dashes"],
  to: [channel, "a name of lower-case letters, digits and dashes"],
  tree: [matching(/^[0-9a-f]{32}$/), "a tree's digest: 32 hexadecimal digits"],
  automatic: [(value) => value === true, "true, or left out"],
  unpin: [(value) => value === true, "true, or left out"],
  prepare: [(value) => value === true, "true, or left out"],
  copy: [matching(releasePattern), "a release's digest: 12 hexadecimal digits"],
  until: [isUntil, "a channel's name and a release's digest"],
  force: [(value) => value === true, "true, or left out"],
  serving: [orNull(matching(releasePattern)), "a release's digest, 12 hexadecimal digits, or null"],
  release: [matching(releasePattern), "a release's digest: 12 hexadecimal digits"],
  share: [isPercent, "a whole number from 0 to 100"],
  rollout: [
    isRolloutPlan,
    `shares that grow, to at most 100, at most ${MAX_ALARMS} alarms, and a time of a minute to a week in seconds`,
  ],
  direction: [(value) => value === "next" || value === "back", '"next" or "back"'],
  seen: [isShare, "a share: a release, and percent from 1 to 99"],
  approve: [(value) => value === true, "true, or left out"],
  approval: [(value) => typeof value === "boolean", "true or false"],
  cluster: [matching(clusterNamePattern), "a name of at most 100 letters, digits, dashes and underscores"],
  record: [isObject, "a cluster's record"],
  lease: [isLease, `an id of 16 to 64 hexadecimal digits, and seconds from 0 to ${LONGEST_LEASE}`],
  expect: [matching(/^(none|[0-9a-f]{64})$/), 'the digest of a record, or "none"'],
  sha256: [matching(/^[0-9a-f]{64}$/), "a SHA-256: 64 hexadecimal digits"],
};

const MAX_BY = 200;
const MAX_WHY = 500;

/**
 * The request that a value is. Keys that are not known are refused, because a request that means more than is understood
 * of it must not be half done.
 *
 * @throws OutriggerError `usage` with the key that is wrong; `cluster-invalid` for a record
 */
export function parsePublisherRequest(value: unknown): PublisherRequest {
  if (!isObject(value)) throw refused("", "must be a JSON mapping with an action");
  const { action } = value;
  if (typeof action !== "string" || !Object.hasOwn(KEYS, action)) {
    throw refused("action", `must be one of ${Object.keys(KEYS).join(", ")}`);
  }
  const keys = KEYS[action as PublisherRequest["action"]];
  const known = ["action", "cause", "id", "dryRun", "prefix", ...keys.map((key) => key.replace("?", ""))];
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined)
    throw refused(unknown.slice(0, 100), `is not known for ${action}; use ${known.join(", ")}`);
  for (const key of keys) checkKey(value, key);
  if (value["dryRun"] !== undefined && typeof value["dryRun"] !== "boolean") {
    throw refused("dryRun", "must be true or false");
  }
  if (value["id"] !== undefined && !requestId(value["id"])) {
    throw refused("id", "must be 8 to 64 letters, digits and dashes");
  }
  if (value["prefix"] !== undefined && typeof value["prefix"] !== "string") throw refused("prefix", "must be a text");
  const record = value["record"];
  // Tokens may be left out: those that the cluster has are kept.
  if (isObject(record) && typeof record["network"] === "string" && !networkPattern.test(record["network"])) {
    throw refused("record.network", `must be ${NETWORK_FORM}`);
  }
  if (isObject(record)) parseClusterRecord({ ...record, tokens: record["tokens"] ?? [] }, "the record");
  return { ...value, cause: parseCause(value["cause"]) } as unknown as PublisherRequest;
}

function checkKey(value: JsonObject, key: string): void {
  const name = key.replace("?", "");
  if (name !== key && value[name] === undefined) return;
  const [check, what] = CHECKS[name] as readonly [Check, string];
  if (!check(value[name])) throw refused(name, `must be ${what}`);
}

/** Who and why are cut to what a channel's history can hold. */
function parseCause(value: JsonValue | undefined) {
  const { by, why } = isObject(value) ? value : {};
  if (typeof by !== "string" || by === "") throw refused("cause.by", "must say who asks");
  if (typeof why !== "string") throw refused("cause.why", "must be a text; an empty one will do");
  return { by: by.slice(0, MAX_BY), why: why.slice(0, MAX_WHY) };
}

function isLease(value: JsonValue | undefined): boolean {
  const { id, seconds, ...others } = isObject(value) ? value : {};
  const isWhole = typeof seconds === "number" && Number.isInteger(seconds) && seconds >= 0 && seconds <= LONGEST_LEASE;
  return typeof id === "string" && /^[0-9a-f]{16,64}$/.test(id) && isWhole && Object.keys(others).length === 0;
}

function isUntil(value: JsonValue | undefined): boolean {
  const { channel: name, release, ...others } = isObject(value) ? value : {};
  return channel(name) && matching(releasePattern)(release) && Object.keys(others).length === 0;
}

function isPercent(value: JsonValue | undefined): boolean {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 100;
}

function matching(pattern: RegExp): Check {
  return (value) => typeof value === "string" && pattern.test(value);
}

function orNull(check: Check): Check {
  return (value) => value === null || check(value);
}

function refused(key: string, what: string): OutriggerError {
  const name = key === "" ? "The request" : `${JSON.stringify(key)}`;
  return new OutriggerError("usage", `Cannot do what is asked: ${name} ${what}`, key === "" ? {} : { path: key });
}
