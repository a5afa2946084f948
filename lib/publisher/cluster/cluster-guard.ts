// Who may change a cluster's record: one operator at a time, and only the record that the operator has read. The
// publisher is the only writer, so a check here is atomic. Pure.
import { defined, OutriggerError } from "@outrigger/base";
import { type ClusterRecord, recordDigest } from "@outrigger/serving";
import type { Cause, LeaseRequest } from "../request/publisher-request.ts";

export interface GuardedRequest {
  readonly cluster: string;
  readonly cause: Cause;
  /** The caller's lease: taken, renewed or released with this change. */
  readonly lease?: LeaseRequest;
  /** Digest of the record that the caller has read, or `none`: see recordDigest. */
  readonly expect?: string;
}

/**
 * The record after a change that nobody else is making: with the caller's lease, and only where it is the one that the caller
 * has read. A record that is so already is no conflict: a request may arrive twice.
 *
 * @param change gives the record's content, or null to remove it; may throw
 * @throws OutriggerError `cluster-conflict`
 */
export function guardedChange(
  request: GuardedRequest,
  there: ClusterRecord | undefined,
  now: Date,
  change: () => ClusterRecord | null,
): ClusterRecord | null {
  assertUnlocked(request, there, now);
  const content = change();
  const record = content === null ? null : withLease({ ...content, ...defined({ lease: there?.lease }) }, request, now);
  if (!isSame(record, there) || takesLease(request, there)) assertExpected(request, there);
  if (record === null || (request.lease?.seconds ?? 0) === 0) assertFinished(request, there);
  return record;
}

/** A command that takes the lease continues with the record that it has read: another one is no base, even if nothing changes. */
function takesLease({ lease }: GuardedRequest, there: ClusterRecord | undefined): boolean {
  return lease !== undefined && lease.seconds > 0 && there?.lease?.id !== lease.id;
}

function isSame(record: ClusterRecord | null, there: ClusterRecord | undefined): boolean {
  if (record === null || there === undefined) return record === null && there === undefined;
  return recordDigest(record) === recordDigest(there);
}

/** The longest lease, in seconds: what a killed command blocks others for. */
export const LONGEST_LEASE = 900;

/**
 * Checks that nobody else is changing the record, and that it is the one that the caller has read.
 *
 * @throws OutriggerError `cluster-conflict`, naming the holder of the lease
 */
export function assertUnlocked({ cluster, lease }: GuardedRequest, there: ClusterRecord | undefined, now: Date): void {
  const held = there?.lease;
  if (held === undefined || held.id === lease?.id || Date.parse(held.until) <= now.getTime()) return;
  throw new OutriggerError(
    "cluster-conflict",
    `Cannot change cluster ${cluster}: ${held.by} is changing it (until ${held.until} at the latest); run this again when that is done`,
    { path: cluster },
  );
}

/** @throws OutriggerError `cluster-conflict` */
export function assertExpected({ cluster, expect }: GuardedRequest, there: ClusterRecord | undefined): void {
  if (expect === undefined || expect === recordDigest(there)) return;
  throw new OutriggerError(
    "cluster-conflict",
    `Cannot change cluster ${cluster}: its record was changed by another command in the meantime; run this again`,
    { path: cluster },
  );
}

/**
 * A record that was read is changed without a lease, released or removed only if no other command has left the cluster in between,
 * also where that one's lease has ended: it may have written what needs the record as it is.
 *
 * @throws OutriggerError `cluster-conflict`
 */
function assertFinished({ cluster, lease, expect }: GuardedRequest, there: ClusterRecord | undefined): void {
  const held = there?.lease;
  if (expect === undefined || held === undefined || held.id === lease?.id) return;
  throw new OutriggerError(
    "cluster-conflict",
    `Cannot change cluster ${cluster}: ${held.by} has begun to change it and has not finished; run this again when it has, or unregister the cluster`,
    { path: cluster },
  );
}

/** The record with the caller's lease, without an expired one, and without any when it is released. */
export function withLease(
  { lease: held, ...record }: ClusterRecord,
  { lease, cause }: GuardedRequest,
  now: Date,
): ClusterRecord {
  if (lease === undefined)
    return held !== undefined && Date.parse(held.until) > now.getTime() ? { ...record, lease: held } : record;
  if (lease.seconds === 0) return record;
  return {
    ...record,
    lease: { id: lease.id, by: cause.by, until: new Date(now.getTime() + lease.seconds * 1000).toISOString() },
  };
}
