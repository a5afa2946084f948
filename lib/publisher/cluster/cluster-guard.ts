// Who may change a cluster's record now: another command's lease, and what a command has read, guard it. Pure.
import { defined, OutriggerError } from "@outrigger/base";
import { type ClusterRecord, recordDigest } from "@outrigger/serving";
import type { PublisherRequest } from "../request/parse-request.ts";

/** A request that changes the record of a cluster. */
export type ClusterRequest = PublisherRequest & {
  readonly action: "put-cluster" | "remove-cluster" | "add-token" | "retire-token";
};

/**
 * The record after a change that nobody else is making. A record that is so already is no conflict: a request may arrive twice.
 *
 * | the request                                                      | is refused where                                        |
 * |------------------------------------------------------------------|---------------------------------------------------------|
 * | any                                                              | another command's lease lasts                           |
 * | changes the record, or takes the lease, on one that it has read  | the record is another one                               |
 * | ends without a lease, on one that it has read                    | another command has begun since, its lease over or not  |
 *
 * @param request the caller's lease, and in `expect` the digest of the record that it has read
 * @param change gives the record's content, or null to remove it; may throw
 * @throws OutriggerError `cluster-conflict`, naming the holder of the lease
 */
export function guardedChange(
  { cluster, cause, lease, expect }: Pick<ClusterRequest, "cluster" | "cause" | "lease" | "expect">,
  there: ClusterRecord | undefined,
  now: Date,
  change: () => ClusterRecord | null,
): ClusterRecord | null {
  const held = there?.lease?.id === lease?.id ? undefined : there?.lease;
  const conflict = (why: string) =>
    new OutriggerError("cluster-conflict", `Cannot change cluster ${cluster}: ${why}`, { path: cluster });
  if (held !== undefined && Date.parse(held.until) > now.getTime()) {
    const until = `(until ${held.until} at the latest)`;
    throw conflict(`${held.by} is changing it ${until}; run this again when that is done`);
  }
  const content = change();
  const record = content && defined({ ...content, lease: leaseAfter(lease, cause.by, there, now) });
  const isSame = recordDigest(record ?? undefined) === recordDigest(there);
  // A command that takes the lease continues with the record that it has read: another one is no base, even if nothing changes.
  const takesLease = lease !== undefined && lease.seconds > 0 && there?.lease?.id !== lease.id;
  if ((!isSame || takesLease) && expect !== undefined && expect !== recordDigest(there))
    throw conflict("its record was changed by another command in the meantime; run this again");
  // What the other command has written may need the record as it is.
  const isEnd = record === null || (lease?.seconds ?? 0) === 0;
  if (isEnd && expect !== undefined && held !== undefined) {
    const begun = `${held.by} has begun to change it and has not finished`;
    throw conflict(`${begun}; run this again when it has, or unregister the cluster`);
  }
  return record;
}

function leaseAfter(lease: ClusterRequest["lease"], by: string, there: ClusterRecord | undefined, now: Date) {
  // Of another command, an expired one is kept too: it has not finished, and only who takes the lease continues.
  if (lease === undefined) return there?.lease;
  if (lease.seconds === 0) return undefined;
  return { id: lease.id, by, until: new Date(now.getTime() + lease.seconds * 1000).toISOString() };
}
