// The records of clusters: registering, tokens, taking away. Knows tokens by their digests only.
import { fitsParameter, recordText } from "@outrigger/aws";
import { defined, entryOf, jsonEqual, OutriggerError } from "@outrigger/base";
import { type ClusterRecord, MAX_TOKENS, parseClusterRecord } from "@outrigger/serving";
import type { Decision } from "../commit/decision.ts";
import type { PublisherDependencies } from "../dependencies.ts";
import { LONGEST_CHANGE } from "../records/channel-record.ts";
import type { State } from "../records/read-state.ts";
import { unknownChannel } from "../records/record-of.ts";
import { type ClusterRequest, guardedChange } from "./cluster-guard.ts";

/**
 * Makes, changes or removes a cluster's record. A record that is so already is no error.
 *
 * @throws OutriggerError `cluster-unknown`, `channel-unknown`, or `cluster-invalid` with the remedy
 */
export function changeCluster(request: ClusterRequest, state: State, dependencies: PublisherDependencies): Decision {
  const { cluster } = request;
  const before = entryOf(state.clusters, cluster);
  const change = () => contentAfter(request, state, dependencies);
  const record = guardedChange(request, before, dependencies.now(), change);
  if (record !== null) assertKeepable(record, cluster, state, dependencies);
  const isNew = !jsonEqual(before ?? null, record) || state.unreadable.clusters.includes(cluster);
  return {
    change: isNew ? { kind: "cluster", name: cluster, record } : undefined,
    message: messageOf(request, isNew, before !== undefined),
  };
}

/** The record that the request asks for; null removes it. */
function contentAfter(request: ClusterRequest, state: State, { layout, now }: PublisherDependencies) {
  const { cluster } = request;
  const path = layout.cluster(cluster);
  const there = entryOf(state.clusters, cluster);
  // Of a record that cannot be read, the tokens are those that are served.
  const served = entryOf(state.snapshot?.clusters ?? {}, cluster);
  if (request.action === "put-cluster") {
    const tokens = request.record.tokens ?? (there ?? served)?.tokens ?? [];
    const settings = request.record.settings ?? there?.settings;
    return parseClusterRecord({ ...request.record, tokens, ...defined({ settings }) }, path);
  }
  if (request.action === "remove-cluster") return null;
  if (there === undefined) throw unknownCluster(cluster, state);
  const isToken = ({ sha256 }: { readonly sha256: string }) => sha256 === request.sha256;
  if (request.action === "add-token") {
    if (there.tokens.some(isToken)) return there;
    if (there.tokens.length >= MAX_TOKENS) {
      const remedy = `${MAX_TOKENS} are live; retire one first with "outrigger token"`;
      throw invalid(`Cannot add a token to cluster ${cluster}: ${remedy}`, path);
    }
    return { ...there, tokens: [...there.tokens, { sha256: request.sha256, created: now().toISOString() }] };
  }
  const tokens = there.tokens.filter((token) => !isToken(token));
  if (tokens.length === 0 && there.tokens.length > 0) {
    const remedy = 'none of its calls would be accepted; add the next one first, or run "outrigger unregister"';
    throw invalid(`Cannot retire the last token of cluster ${cluster}: ${remedy}`, path);
  }
  return { ...there, tokens };
}

/** A token identifies one cluster: of two records with the same one, only one would ever be found. */
function assertKeepable(record: ClusterRecord, cluster: string, state: State, { layout, tier }: PublisherDependencies) {
  const path = layout.cluster(cluster);
  const known = (channel: string) =>
    Object.hasOwn(state.channels, channel) || state.unreadable.channels.includes(channel);
  const unknown = Object.values(record.revisions).find((channel) => !known(channel));
  if (unknown !== undefined) throw unknownChannel(unknown, state);
  const mine = record.tokens.map(({ sha256 }) => sha256);
  const isTaken = Object.entries(state.clusters).some(
    ([name, other]) => name !== cluster && other.tokens.some(({ sha256 }) => mine.includes(sha256)),
  );
  if (isTaken || new Set(mine).size < mine.length)
    throw invalid(`Cannot use a token of cluster ${cluster}: it is in use already`, path);
  // The log's entry holds it too, with a little around it.
  if (fitsParameter(recordText({ ...record, change: LONGEST_CHANGE, log: "x".repeat(400) }), tier)) return;
  const large = `it is larger than a parameter of the ${tier} tier; name fewer revisions`;
  throw invalid(`Cannot keep the record of cluster ${cluster}: ${large}`, path);
}

function invalid(message: string, path: string): OutriggerError {
  return new OutriggerError("cluster-invalid", message, { path });
}

function unknownCluster(cluster: string, { clusters, unreadable }: State): OutriggerError {
  const broken = unreadable.clusters.includes(cluster);
  const why = broken ? "its record cannot be read" : "it is not registered";
  const known = Object.keys(clusters).slice(0, 10).join(", ") || "none yet";
  const message = `Cannot use cluster ${cluster}: ${why}; register it (registered are: ${known})`;
  return new OutriggerError("cluster-unknown", message, { path: cluster });
}

const DONE = {
  "put-cluster": "is registered",
  "remove-cluster": "is not registered any more",
  "add-token": "has one more token",
  "retire-token": "has one token less",
} as const;

function messageOf({ action, cluster, dryRun }: ClusterRequest, changed: boolean, isThere: boolean): string {
  if (action === "remove-cluster" && !isThere && !changed) return `There is no cluster ${cluster}`;
  if (!changed) return `Cluster ${cluster}: it is so already`;
  if (dryRun === true) return `Cluster ${cluster}: something would change`;
  return `Cluster ${cluster} ${action === "put-cluster" && isThere ? "is changed" : DONE[action]}`;
}
