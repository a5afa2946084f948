// What the publisher may be asked: one table of keys, and one of actions, which the type and the parser of a request are made
// of. Any principal that may invoke the function may send anything.
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
import { type ClusterRecord, parseClusterRecord, type Share } from "@outrigger/serving";
import { EFFECT_NAMES, type EffectName, isEffectName } from "../effect/effects.ts";
import { isShare, releasePattern } from "../records/channel-record.ts";
import { FOLLOWING_FORM, type Following, isFollowing } from "../rollout/following.ts";
import { isRolloutPlan, MAX_ALARMS, type RolloutPlan } from "../rollout/rollout.ts";
import type { Cause } from "./publisher-result.ts";

type Check = (value: JsonValue | undefined) => boolean;

/** A value that a request may have under a key: whether it is one, and how that is said. */
interface Key<Value> {
  readonly is: Check;
  readonly what: string;
  /** Carries the type of the value; it is never set. */
  readonly of?: Value;
}

function key<Value>(is: Check, what: string): Key<Value> {
  return { is, what };
}

const CHANNEL = key<string>(matching(channelNamePattern), "a name of lower-case letters, digits and dashes");
const RELEASE = key<string>(matching(releasePattern), "a release's digest: 12 hexadecimal digits");
const CHANGE = key<number>(Number.isSafeInteger, "the number of a change");
const TRUE = key<true>((value) => value === true, "true, or left out");
const BOOLEAN = key<boolean>((value) => typeof value === "boolean", "true or false");
const SHA256 = /^[0-9a-f]{64}$/;
/** Seconds for which a killed command blocks others at most. */
const LONGEST_LEASE = 900;

const KEYS = {
  /** Names the request: one that arrives again, because its answer was lost, is not carried out twice. */
  id: key<string>(matching(/^[A-Za-z0-9-]{8,64}$/), "8 to 64 letters, digits and dashes"),
  /** Nothing is written. */
  dryRun: BOOLEAN,
  /** The deployment that is meant, `/outrigger/dev`: any other refuses. */
  prefix: key<string>((value) => typeof value === "string", "a text"),
  channel: CHANNEL,
  from: CHANNEL,
  to: CHANNEL,
  /** The release that the channel served, as its requester saw it; null for no channel. A move is refused where that is over. */
  serving: key<string | null>(orNull(RELEASE.is), "a release's digest, 12 hexadecimal digits, or null"),
  /** The change that wrote the channel: a pin, a share or a proposal that was made again is another person's, however like it. */
  change: CHANGE,
  /** The change that wrote `from`: a promotion for what that channel has done so far ends where it was pinned or given a share since. */
  fromChange: CHANGE,
  /** The digest of the source tree (treeDigest): what a push has just written. */
  tree: key<string>(matching(/^[0-9a-f]{32}$/), "a tree's digest: 32 hexadecimal digits"),
  /** Although the channel is pinned. */
  unpin: TRUE,
  /** Triggered by an edit, not by a person: a pinned channel stays where it is. */
  automatic: TRUE,
  /** The release is kept, and nothing moves: replicas copy it before the channel moves. */
  prepare: TRUE,
  /** The release that the tree must compile to, that `from` must serve, or that a rollback or a pin goes to. */
  release: RELEASE,
  /** Classes of change that a person has looked at: what else the channel holds is refused. */
  accept: key<readonly EffectName[]>(listOf(isEffectName), `a list of ${EFFECT_NAMES.join(", ")}`),
  /** Percent of the workloads that `to` serves the release to, next to its own; 0 ends that. Left out: all, and it is its own. */
  share: key<number>((value) => isWholeIn(value, 0, 100), "a whole number from 0 to 100"),
  /** The plan by which the share continues by itself. */
  rollout: key<RolloutPlan>(
    isRolloutPlan,
    `shares that grow, to at most 100, at most ${MAX_ALARMS} alarms, and a time of a minute to a week in seconds, with which restart may be true`,
  ),
  /** Although a rollout is under way, whose alarms and next shares are dropped. */
  replace: TRUE,
  /** Carries out what another person asked for, on a channel that takes no promotion without. */
  approve: TRUE,
  /** The direction of a rollout: to its next share, or back to the channel's own release for all. */
  direction: key<"next" | "back">((value) => value === "next" || value === "back", '"next" or "back"'),
  /** The share that is served, as its requester saw it, and the change that wrote it: two shares of 25 % are two shares. */
  seen: key<Share & { readonly change?: number }>(
    isSeen,
    "a share: a release, and percent from 1 to 100, with the number of its change",
  ),
  /** Whether promotions to it need another person's approval. */
  approval: BOOLEAN,
  /** The effects that edits may not carry by themselves, or null for the default, which a list may have too. */
  holds: key<readonly (EffectName | "default")[] | null>(
    orNull(listOf((name) => name === "default" || isEffectName(name))),
    `a list of ${EFFECT_NAMES.join(", ")} or default, or null`,
  ),
  /** Edits go to it from now on. A channel that does not exist is made: it serves what they have come to so far. */
  edits: TRUE,
  /** The channel whose releases it takes by itself, and when; null for none. */
  follow: key<Following | null>(orNull(isFollowing), FOLLOWING_FORM),
  cluster: key<string>(matching(clusterNamePattern), "a name of at most 100 letters, digits, dashes and underscores"),
  /** The cluster's record, which keeps its tokens where `tokens` is left out. */
  record: key<Omit<ClusterRecord, "tokens" | "lease"> & Partial<Pick<ClusterRecord, "tokens">>>(
    isObject,
    "a cluster's record",
  ),
  /** A lease on a cluster's record: while it lasts, changes without its id, which the caller makes, are rejected; 0 seconds release it. */
  lease: key<{ readonly id: string; readonly seconds: number }>(
    isLease,
    `an id of 16 to 64 hexadecimal digits, and seconds from 0 to ${LONGEST_LEASE}`,
  ),
  /** Digest of the record that was read (recordDigest), or `none`: any other record is left as it is. */
  expect: key<string>((value) => value === "none" || matching(SHA256)(value), 'the digest of a record, or "none"'),
  /** The SHA-256 of a live token. */
  sha256: key<string>(matching(SHA256), "a SHA-256: 64 hexadecimal digits"),
  /** Take over channels too that were moved here. */
  force: TRUE,
  /** Copy this release of the primary, and take over nothing. */
  copy: RELEASE,
  /**
   * The change that the primary shows by now: readings may be behind. It is a change, because two moves to the same
   * release are two moves.
   */
  until: key<{ readonly channel: string; readonly change: number }>(
    isUntil,
    "a channel's name and the number of a change",
  ),
} as const;

type KeyName = keyof typeof KEYS;

const COMMON = ["id", "dryRun", "prefix"] as const satisfies readonly KeyName[];
/** The keys for what a requester saw of a channel. They are left out if it did not look. */
const SEEN = ["serving", "change"] as const;
const GUARDED = ["lease", "expect"] as const;

type ActionKeys = readonly [needed: readonly KeyName[], taken: readonly KeyName[]];

/** The keys that each action needs, and those that it takes besides. */
const ACTIONS = {
  /** The source tree, to the channel that edits go to or to the one that is named. */
  publish: [[], ["channel", "tree", "automatic", "unpin", "prepare", "release", "accept", ...SEEN]],
  /** The state that the caller has seen is that of `to`. */
  promote: [
    ["from", "to"],
    ["release", "unpin", "share", "rollout", "replace", "approve", "accept", "fromChange", ...SEEN],
  ],
  "step-rollout": [["channel", "direction"], ["seen"]],
  /** The settings of a channel that a person may set. What is left out stays. */
  "set-channel": [["channel"], ["approval", "holds", "edits", "follow", "change"]],
  /** Back to the release before, or to the one named; the channel is pinned. */
  rollback: [["channel"], ["release", ...SEEN]],
  pin: [["channel"], ["release", ...SEEN]],
  unpin: [["channel"], SEEN],
  "remove-channel": [["channel"], SEEN],
  /** Makes or replaces a record. */
  "put-cluster": [["cluster", "record"], GUARDED],
  "remove-cluster": [["cluster"], GUARDED],
  /** Refused where two tokens are live. */
  "add-token": [["cluster", "sha256"], GUARDED],
  "retire-token": [["cluster", "sha256"], GUARDED],
  /** Derives the snapshot again from channels, clusters and releases, and takes away what nothing names. */
  repair: [[], []],
  /** Takes over what the primary serves: replicate.ts. */
  replicate: [[], ["force", "copy", "until"]],
} as const satisfies Readonly<Record<string, ActionKeys>>;

type Action = keyof typeof ACTIONS;

type ValueOf<Name extends KeyName> = (typeof KEYS)[Name] extends Key<infer Value> ? Value : never;

type RequestOf<Name extends Action> = { readonly action: Name; readonly cause: Cause } & {
  readonly [Key in (typeof ACTIONS)[Name][0][number]]: ValueOf<Key>;
} & { readonly [Key in (typeof ACTIONS)[Name][1][number] | (typeof COMMON)[number]]?: ValueOf<Key> };

/** A request to the publisher: an action with its own keys, and who asks. It is JSON. */
export type PublisherRequest = { readonly [Name in Action]: RequestOf<Name> }[Action];

/** Characters to which `by` and `why` are cut: as many as a channel's history can hold. */
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
  if (!isAction(action)) throw refused("action", `must be one of ${Object.keys(ACTIONS).join(", ")}`);
  const [needed, taken]: ActionKeys = ACTIONS[action];
  const keys: readonly KeyName[] = [...COMMON, ...needed, ...taken];
  const known: readonly string[] = ["action", "cause", ...keys];
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw refused(unknown.slice(0, 100), `is not known for ${action}; use ${known.join(", ")}`);
  for (const name of keys) {
    const isLeftOut = value[name] === undefined && !needed.includes(name);
    if (!isLeftOut && !KEYS[name].is(value[name])) throw refused(name, `must be ${KEYS[name].what}`);
  }
  const record = value["record"];
  if (isObject(record)) {
    const { network, tokens } = record;
    if (typeof network === "string" && !networkPattern.test(network))
      throw refused("record.network", `must be ${NETWORK_FORM}`);
    // Tokens may be left out: those that the cluster has are kept.
    parseClusterRecord({ ...record, tokens: tokens ?? [] }, "the record");
  }
  const { by, why } = objectOf(value["cause"]);
  if (typeof by !== "string" || by === "") throw refused("cause.by", "must say who asks");
  if (typeof why !== "string") throw refused("cause.why", "must be a text; an empty one will do");
}

function isAction(value: JsonValue | undefined): value is Action {
  return typeof value === "string" && Object.hasOwn(ACTIONS, value);
}

function isLease(value: JsonValue | undefined): boolean {
  const { id, seconds, ...others } = objectOf(value);
  return matching(/^[0-9a-f]{16,64}$/)(id) && isWholeIn(seconds, 0, LONGEST_LEASE) && Object.keys(others).length === 0;
}

function isSeen(value: JsonValue | undefined): boolean {
  const { change = 0 } = objectOf(value);
  return isShare(value) && Number.isSafeInteger(change);
}

function isUntil(value: JsonValue | undefined): boolean {
  const { channel, change, ...others } = objectOf(value);
  return CHANNEL.is(channel) && Number.isSafeInteger(change) && Object.keys(others).length === 0;
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
