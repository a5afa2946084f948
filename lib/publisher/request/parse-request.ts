// Decoding requests to the publisher: any principal that may invoke the function may send anything.
import {
  channelNamePattern,
  clusterNamePattern,
  isObject,
  isWholeIn,
  type JsonValue,
  NETWORK_FORM,
  networkPattern,
  OutriggerError,
  objectOf,
} from "@outrigger/base";
import { parseClusterRecord } from "@outrigger/serving";
import { LONGEST_LEASE } from "../cluster/change-cluster.ts";
import { EFFECT_NAMES, isEffectName } from "../effect/effects.ts";
import { isShare, releasePattern } from "../records/channel-record.ts";
import { isRolloutPlan, MAX_ALARMS } from "../rollout/rollout.ts";
import type { PublisherRequest } from "./publisher-request.ts";

type Action = PublisherRequest["action"];

type Common = "id" | "dryRun" | "prefix";

/** Every key of an action, besides those that all have, and whether it may be left out: the compiler compares it with the type. */
type KeysOf<A extends Action, Request = Omit<Extract<PublisherRequest, { readonly action: A }>, NotListed>> = {
  readonly [Key in keyof Request]-?: undefined extends Request[Key] ? typeof OPTIONAL : typeof REQUIRED;
};

type NotListed = Common | "action" | "cause";

type AnyKey = { readonly [A in Action]: keyof KeysOf<A> }[Action] | Common;

const REQUIRED = "required";
const OPTIONAL = "optional";

const SEEN = { serving: OPTIONAL, change: OPTIONAL } as const;
const GUARDED = { cluster: REQUIRED, lease: OPTIONAL, expect: OPTIONAL } as const;

const KEYS: { readonly [A in Action]: KeysOf<A> } = {
  publish: {
    channel: OPTIONAL,
    tree: OPTIONAL,
    automatic: OPTIONAL,
    unpin: OPTIONAL,
    prepare: OPTIONAL,
    release: OPTIONAL,
    accept: OPTIONAL,
    ...SEEN,
  },
  promote: {
    from: REQUIRED,
    to: REQUIRED,
    release: OPTIONAL,
    unpin: OPTIONAL,
    share: OPTIONAL,
    rollout: OPTIONAL,
    replace: OPTIONAL,
    approve: OPTIONAL,
    ...SEEN,
  },
  "step-rollout": { channel: REQUIRED, direction: REQUIRED, seen: OPTIONAL },
  "set-channel": { channel: REQUIRED, approval: OPTIONAL, holds: OPTIONAL, edits: OPTIONAL, change: OPTIONAL },
  rollback: { channel: REQUIRED, release: OPTIONAL, ...SEEN },
  pin: { channel: REQUIRED, release: OPTIONAL, ...SEEN },
  unpin: { channel: REQUIRED, ...SEEN },
  "remove-channel": { channel: REQUIRED, ...SEEN },
  "put-cluster": { ...GUARDED, record: REQUIRED },
  "remove-cluster": GUARDED,
  "add-token": { ...GUARDED, sha256: REQUIRED },
  "retire-token": { ...GUARDED, sha256: REQUIRED },
  repair: {},
  replicate: { force: OPTIONAL, copy: OPTIONAL, until: OPTIONAL },
};

type Check = (value: JsonValue | undefined) => boolean;

const channel: Check = matching(channelNamePattern);

const isLeaseId: Check = matching(/^[0-9a-f]{16,64}$/);

/** What a value under a key must be, and how that is said. */
const CHECKS: { readonly [Key in AnyKey]: readonly [Check, string] } = {
  channel: [channel, "a name of lower-case letters, digits and dashes"],
  from: [channel, "a name of lower-case letters, digits and dashes"],
  to: [channel, "a name of lower-case letters, digits and dashes"],
  tree: [matching(/^[0-9a-f]{32}$/), "a tree's digest: 32 hexadecimal digits"],
  automatic: [(value) => value === true, "true, or left out"],
  unpin: [(value) => value === true, "true, or left out"],
  prepare: [(value) => value === true, "true, or left out"],
  copy: [matching(releasePattern), "a release's digest: 12 hexadecimal digits"],
  until: [isUntil, "a channel's name and the number of a change"],
  force: [(value) => value === true, "true, or left out"],
  serving: [orNull(matching(releasePattern)), "a release's digest, 12 hexadecimal digits, or null"],
  release: [matching(releasePattern), "a release's digest: 12 hexadecimal digits"],
  share: [(value) => isWholeIn(value, 0, 100), "a whole number from 0 to 100"],
  rollout: [
    isRolloutPlan,
    `shares that grow, to at most 100, at most ${MAX_ALARMS} alarms, and a time of a minute to a week in seconds, with which restart may be true`,
  ],
  direction: [(value) => value === "next" || value === "back", '"next" or "back"'],
  seen: [isSeen, "a share: a release, and percent from 1 to 100, with the number of its change"],
  replace: [(value) => value === true, "true, or left out"],
  change: [Number.isSafeInteger, "the number of a change"],
  approve: [(value) => value === true, "true, or left out"],
  accept: [listOf(isEffectName), `a list of ${EFFECT_NAMES.join(", ")}`],
  holds: [
    orNull(listOf((name) => name === "default" || isEffectName(name))),
    `a list of ${EFFECT_NAMES.join(", ")} or default, or null`,
  ],
  edits: [(value) => value === true, "true, or left out"],
  approval: [(value) => typeof value === "boolean", "true or false"],
  cluster: [matching(clusterNamePattern), "a name of at most 100 letters, digits, dashes and underscores"],
  record: [isObject, "a cluster's record"],
  lease: [isLease, `an id of 16 to 64 hexadecimal digits, and seconds from 0 to ${LONGEST_LEASE}`],
  expect: [matching(/^(none|[0-9a-f]{64})$/), 'the digest of a record, or "none"'],
  sha256: [matching(/^[0-9a-f]{64}$/), "a SHA-256: 64 hexadecimal digits"],
  dryRun: [(value) => typeof value === "boolean", "true or false"],
  id: [matching(/^[A-Za-z0-9-]{8,64}$/), "8 to 64 letters, digits and dashes"],
  prefix: [(value) => typeof value === "string", "a text"],
};

/** Who and why are cut to what a channel's history can hold. */
const MAX_BY = 200;
const MAX_WHY = 500;

/**
 * The request that a value is. Keys that are not known are refused, because a request that means more than is understood
 * of it must not be half done.
 *
 * @throws OutriggerError `usage` with the key that is wrong; `cluster-invalid` for a record
 */
export function parsePublisherRequest(value: unknown): PublisherRequest {
  assertRequest(value);
  const { by, why } = value.cause;
  return { ...value, cause: { by: by.slice(0, MAX_BY), why: why.slice(0, MAX_WHY) } };
}

function assertRequest(value: unknown): asserts value is PublisherRequest {
  if (!isObject(value)) throw refused("", "must be a JSON mapping with an action");
  const { action } = value;
  if (!isAction(action)) {
    throw refused("action", `must be one of ${Object.keys(KEYS).join(", ")}`);
  }
  const keys = { id: OPTIONAL, dryRun: OPTIONAL, prefix: OPTIONAL, ...KEYS[action] };
  const known = ["action", "cause", ...Object.keys(keys)];
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined)
    throw refused(unknown.slice(0, 100), `is not known for ${action}; use ${known.join(", ")}`);
  for (const [key, need] of Object.entries(keys)) {
    const [check, what] = CHECKS[key as AnyKey];
    if (!(need === OPTIONAL && value[key] === undefined) && !check(value[key])) throw refused(key, `must be ${what}`);
  }
  const record = value["record"];
  // Tokens may be left out: those that the cluster has are kept.
  if (isObject(record) && typeof record["network"] === "string" && !networkPattern.test(record["network"])) {
    throw refused("record.network", `must be ${NETWORK_FORM}`);
  }
  if (isObject(record)) parseClusterRecord({ ...record, tokens: record["tokens"] ?? [] }, "the record");
  const { by, why } = objectOf(value["cause"]);
  if (typeof by !== "string" || by === "") throw refused("cause.by", "must say who asks");
  if (typeof why !== "string") throw refused("cause.why", "must be a text; an empty one will do");
}

function isAction(value: JsonValue | undefined): value is Action {
  return typeof value === "string" && Object.hasOwn(KEYS, value);
}

function isLease(value: JsonValue | undefined): boolean {
  const { id, seconds, ...others } = objectOf(value);
  return isLeaseId(id) && isWholeIn(seconds, 0, LONGEST_LEASE) && Object.keys(others).length === 0;
}

function isSeen(value: JsonValue | undefined): boolean {
  const { change = 0 } = objectOf(value);
  return isShare(value) && Number.isSafeInteger(change);
}

function isUntil(value: JsonValue | undefined): boolean {
  const { channel: name, change, ...others } = objectOf(value);
  return channel(name) && Number.isSafeInteger(change) && Object.keys(others).length === 0;
}

function listOf(check: Check): Check {
  return (value) => Array.isArray(value) && value.every(check);
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
